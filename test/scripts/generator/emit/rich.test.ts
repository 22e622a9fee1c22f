import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emitAll } from '../../../../scripts/generator/emit/index.js';
import type { Validator } from '../../../../src/capability/index.js';
import { REPOSITORY } from '../project.js';
import { richModel } from './rich-model.js';

let files: ReadonlyMap<string, string>;
let root: string;
let validators: Readonly<Record<'create' | 'update' | 'filter' | 'queryArguments', Validator>>;

beforeAll(async () => {
  files = await emitAll(richModel, { engine: new Set(), isPackage: false });
  root = await mkdtemp(join(tmpdir(), 'jmapsmith-emit-'));
  await mkdir(join(root, 'node_modules'));
  await symlink(REPOSITORY, join(root, 'node_modules/jmapsmith'));
  await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  validators = await import(pathToFileURL(join(root, 'generated/things/Rich.validators.ts')).href);
});

afterAll(() => rm(root, { recursive: true, force: true }));

function text(path: string): string {
  const found = files.get(path);
  if (found === undefined) throw new Error(`${path} is not emitted: ${[...files.keys()].join()}`);
  return found;
}

/** The member names of an emitted interface. */
function membersOf(name: string): string[] {
  const all = text('generated/things/Rich.definition.ts');
  const body =
    new RegExp(`export interface ${name} (?:extends \\w+ )?\\{\\n([^]*?)\\n\\}`).exec(all)?.[1] ??
    '';
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member]) => member ?? '');
}

/** Returns the complaints of a validator: path and keyword. */
function complaints(validator: Validator, value: unknown): string[] {
  if (validator(value)) return [];
  return (validator.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe('wire types', () => {
  it('show neither internal nor secret properties', () => {
    expect(membersOf('Rich')).not.toContain('cost');
    expect(membersOf('Rich')).not.toContain('pin');
    expect(membersOf('Rich')).toContain('slug');
  });

  it('of a create and of a patch take the values of clients, secrets too', () => {
    const all = text('generated/things/Rich.definition.ts');
    const create = /export type RichCreate = ([^;]*);/.exec(all)?.[1] ?? '';
    const names = ['title', 'code', 'position', 'tags', 'links', 'parentId', 'starts', 'local'];
    const found = [...create.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    expect(found.sort()).toEqual([...names, 'old'].sort());
    expect(create).toMatch(/ & RichSecrets$/);
    expect(membersOf('RichSecrets')).toEqual(['pin']);
    expect(all).toContain('export type RichPatch = jmap.PatchObject<RichCreate>;');
  });

  it('differ from the types of stored objects', () => {
    const all = text('generated/things/Rich.definition.ts');
    expect(all).toContain('export interface RichStored extends Rich {');
    expect(membersOf('RichStored')).toEqual(expect.arrayContaining(['cost', 'pin']));
    expect(all).toContain('  readonly pin: string | null;');
    expect(text('generated/things/Single.definition.ts')).toContain('type SingleStored = Single;');
    expect(all).toContain('readonly stored: RichStored;');
  });

  it('write sets as records of true and mark what is deprecated', () => {
    const all = text('generated/things/Rich.definition.ts');
    expect(all).toContain('readonly tags: Readonly<Record<string, true>>;');
    expect(all).toContain('@deprecated Use tags.');
    expect(all).toContain('@deprecated Use Poor.');
  });
});

describe('validators', () => {
  it.each([
    ['a property that the server sets', { slug: 'x' }, ' additionalProperties'],
    ['an internal property', { cost: 1 }, ' additionalProperties'],
    ['a member of a set that is false', { tags: { a: false } }, '/tags/a enum'],
    ['a key of a set that is too long', { tags: { abcdef: true } }, '/tags maxLength'],
    [
      'a key of a reference set that is no Id',
      { links: { 'a b': true } },
      '/links canonicalFormat',
    ],
    ['a reference that is no Id', { parentId: '#new' }, '/parentId format'],
    ['a Date without offset', { starts: '2026-01-31T14:00:00' }, '/starts format'],
    ['a LocalDateTime with one', { local: '2026-01-31T14:00:00Z' }, '/local format'],
  ])('refuse %s', (_what, value, complaint) => {
    expect(complaints(validators.update, value)).toContain(complaint);
  });

  it('take legal objects', () => {
    const value = {
      title: 'a',
      tags: { abcde: true },
      links: { a1: true },
      parentId: null,
      starts: '2026-01-31T14:00:00.120+02:00',
      local: '2026-01-31T14:00:00',
      pin: '1234',
    };
    expect(complaints(validators.update, value)).toEqual([]);
    expect(complaints(validators.filter, { hasTag: 'x', text: null })).toEqual([]);
  });

  it('judge the further arguments of a standard method with the standard ones', () => {
    const whole = { accountId: 'A', nearTo: 'r1', limit: 3 };
    expect(complaints(validators.queryArguments, whole)).toEqual([]);
    expect(complaints(validators.queryArguments, { accountId: 'A' })).toEqual([' required']);
    expect(complaints(validators.queryArguments, { ...whole, limit: 'x' })).toEqual([
      '/limit type',
    ]);
  });
});

describe('definitions', () => {
  it('have the methods of the type alone', async () => {
    const { richMethods } = await import(definitionOf('Rich'));
    const names = richMethods.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Rich/get', 'Rich/set', 'Rich/query']);
    expect(richMethods[2].argumentNames).toEqual(
      expect.arrayContaining(['accountId', 'calculateTotal', 'nearTo']),
    );
  });

  it('describe references, sorts, uniqueness, search and limits for the engine', async () => {
    const { richType } = await import(definitionOf('Rich'));
    const named = new Map(
      richType.properties.map((property: { name: string }) => [property.name, property]),
    );
    expect(named.get('parentId')).toMatchObject({
      format: 'id',
      references: [{ type: 'Rich', place: [], onDestroy: 'restrict', acyclic: true }],
    });
    expect(named.get('pin')).toMatchObject({ access: 'secret', secret: 'hash' });
    expect(named.get('slug')).toMatchObject({ computed: { kind: 'from', properties: ['title'] } });
    expect(richType).toMatchObject({
      search: { name: 'Rich_search', columns: ['title_folded', 'code_folded'] },
      limits: { count: 5, octets: 1000 },
    });
    expect(richType.filters[1]).toMatchObject({ columns: ['title_folded', 'code_folded'] });
    expect(richType.sorts[1].column).toBe('starts_instant');
    expect(richType.uniques[1].properties[1]).toBe(named.get('position'));
    expect(richType).not.toHaveProperty('singleton');
  });

  it('mark a singleton', async () => {
    const { singleType } = await import(definitionOf('Single'));
    expect(singleType.singleton).toBe(true);
  });
});

describe('data tables', () => {
  it('have ordinary indexes, declared and unique, on the columns that are read', () => {
    const schema = text('prisma/postgresql/schema.prisma');
    const table = /model Rich \{.*?\n\}/s.exec(schema)?.[0] ?? '';
    expect(table.match(/@@.*/g)).toEqual([
      '@@id([accountId, id])',
      '@@index([accountId, starts_instant, id])',
      '@@index([accountId, code, id])',
      '@@index([accountId, parentId, position, id])',
      '@@index([accountId, old, title_casemap, id])',
    ]);
    expect(table).toMatch(/starts_instant +BigInt +@default\(0\)/);
  });
});

describe('reference pages', () => {
  it('say nothing of internal properties and show no secret', () => {
    const page = text('docs/reference/capabilities/things.md');
    expect(page).not.toContain('cost');
    expect(page).toContain('| `pin` | `String\\|null` | written, never shown |');
    expect(page).not.toContain('"pin"');
  });

  it('have an example for each method of a type, but for those that every type has alike', () => {
    const page = text('docs/reference/capabilities/things.md');
    const heads = [...page.matchAll(/^### (.*)/gm)];
    expect(heads.map(([, head]) => head)).toEqual([
      ...['Rich/get', 'Rich/set', 'Rich/query'],
      ...['Single/get', 'Single/set'],
    ]);
    expect(page.match(/^As in RFC 8620: .*/gm)).toEqual([
      'As in RFC 8620: `Single/changes` (5.2).',
    ]);
  });
});

/** The URL of a type's definition. */
function definitionOf(name: string): string {
  return pathToFileURL(join(root, `generated/things/${name}.definition.ts`)).href;
}
