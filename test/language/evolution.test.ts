import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProject, type Project, thing } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';
import { nextVersion, regenerate, serveType } from './rig.js';

const postgresql = usePostgresql();

/** Makes the next version of a project: with its migrations, and another type. */
const next = (before: Project, text: string): Promise<Project> =>
  nextVersion(before, { 'things.yaml': thing(text) });

const FIRST = `unknownProperties: keep
properties:
  kind: { type: string, maxLength: 20, default: '' }
  note: { type: [string, 'null'], maxLength: 20 }
  both: { type: [string, 'null'], maxLength: 20 }
  gone: { type: string, maxLength: 20, optional: true }
  size: { type: integer, default: 1 }
  mark: { const: card }
  rank: { const: 5 }
`;

const SECOND = `unknownProperties: keep
standardProperties: { updated: false }
drops: [gone, updated]
properties:
  '@type': { type: string, maxLength: 20, default: '', renamedFrom: kind }
  note: { type: string, maxLength: 20, optional: true }
  both: { type: [string, 'null'], maxLength: 20, optional: true }
  gone: { type: string, maxLength: 20, default: none }
  size: { type: integer, optional: true }
  mark: { type: string, maxLength: 4, default: card }
  rank: { type: integer, maximum: 9, default: 5 }
  created: { type: string, format: utc-date }
  color: { type: string, maxLength: 5, default: '' }
  'x:due': { type: [string, 'null'], format: utc-date }
  'x:rank': { type: integer, access: serverSet, default: 0 }
  'x:tag': { type: string, maxLength: 9, normalize: [trim, lowercase], optional: true }
  'x:steps':
    type: array
    items: { type: object, properties: { id: { type: string, references: Thing } } }
    optional: true
  made: { type: string, format: local-date, default: { now: true } }
required: [created]
filter:
  color: contains
  'x:due': equals
`;

describe.each(['SQLite', 'PostgreSQL'])('a next version on %s', (database) => {
  it('keeps names, nulls and undeclared values apart', async () => {
    const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('evolving');
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-language-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await createProject({ 'things.yaml': thing(FIRST) });
    await regenerate(first);
    const before = await serveType(first, 'Thing', { url, folder });
    const [a, told] = await before.create({
      kind: 'card',
      gone: 'there',
      both: 'b',
      color: 'Red',
      'x:due': '2026-01-31T12:00:00.000Z',
      'x:rank': 9,
      'x:tag': ' Big ',
      'x:steps': [{ id: 'none' }],
      free: true,
    });
    const [b] = await before.create({ color: 'much too long', 'x:due': 5 });
    const [full] = await before.create({ color: 'x'.repeat(65_515), f: 1 });
    await before.served.close();
    const second = await next(first, SECOND);
    await regenerate(second);
    const after = await serveType(second, 'Thing', { url, folder });
    try {
      expect(await after.get(a)).toEqual({
        id: a,
        '@type': 'card',
        both: 'b',
        gone: 'there',
        size: 1,
        mark: 'card',
        rank: 5,
        created: told.created,
        color: 'Red',
        'x:due': '2026-01-31T12:00:00Z',
        'x:rank': 0,
        'undeclared:x:rank': 9,
        'x:tag': 'big',
        'undeclared:x:steps': [{ id: 'none' }],
        // A type without the role `created` knows no time but the migration's.
        made: expect.stringMatching(/^20\d\d-/),
        free: true,
      });
      expect(await after.get(b)).toEqual({
        id: b,
        '@type': '',
        both: null,
        gone: 'none',
        size: 1,
        mark: 'card',
        rank: 5,
        created: expect.any(String),
        color: '',
        'x:due': null,
        'x:rank': 0,
        made: expect.stringMatching(/^20\d\d-/),
        'undeclared:color': 'much too long',
        'undeclared:x:due': 5,
      });
      expect(await after.query({ color: 'RED' })).toEqual([a]);
      expect(await after.query({ 'x:due': '2026-01-31T12:00:00Z' })).toEqual([a]);
      expect(await after.get(a, ['color'])).toEqual({ id: a, color: 'Red' });
      expect(
        await after.update(a, { free: null, 'undeclared:x:rank': null, size: null }),
      ).toBeNull();
      // Under its new name the value is beyond the bound of octets.
      expect(await after.refuse({ more: 1 }, full)).toMatchObject({ properties: ['more'] });
      expect(await after.update(full, { f: null })).toBeNull();
      const left = await after.get(a);
      for (const name of ['free', 'undeclared:x:rank', 'size', 'updated'])
        expect(left).not.toHaveProperty([name]);
    } finally {
      await after.served.close();
    }
  });
});

it('a change that would lose values or undeclared properties is refused', async () => {
  const first = await createProject({ 'things.yaml': thing(FIRST) });
  await regenerate(first);
  const second = await next(
    first,
    `properties:
  kind: { type: string, maxLength: 20, default: '' }
  note: { type: [string, 'null'], maxLength: 20 }
  both: { type: [string, 'null'], maxLength: 20 }
  gone: { type: string, maxLength: 20, default: '' }
  size: { const: 1 }
  mark: { type: string, maxLength: 3, default: '' }
  rank: { const: 5 }
`,
  );
  const { code, stderr } = await second.generate();
  expect(code).toBe(2);
  expect(stderr).toContain('drops: [unknown_properties]');
  expect(stderr).toContain('Thing.gone was nullable or optional and no longer is');
  expect(stderr).toContain('Thing.size: has const: 1 now');
  expect(stderr).toContain('Thing.mark: has maxLength: 3 now');
});

const HOUSES = `properties:
  place:
    type: object
    properties: { city: { type: string, maxLength: 50 }, floor: { type: integer } }
    default: {}
  mails:
    type: array
    items: { type: object, properties: { to: { type: string, maxLength: 50 } } }
    default: []
`;

const SEARCHED = `${HOUSES}
filter:
  city: { property: place/city, is: contains, indexed: true }
  floor: { property: place/floor, is: atLeast, indexed: true }
  to: { property: mails/*/to, is: contains, indexed: true }
  toIs: { property: mails/*/to, is: equals }
sort: [{ name: city, property: place/city, indexed: true }]
`;

const RENAMED = `${SEARCHED.replace('place:', 'home:')}
`
  .replace('default: {}', 'default: {}\n    renamedFrom: place')
  .replaceAll('place/', 'home/')
  .replace('  toIs: { property: mails/*/to, is: equals }\n', '');

describe.each(['SQLite', 'PostgreSQL'])('parts of values in a next version on %s', (database) => {
  it('are filled from what is stored, follow a rename, and go without a word', async () => {
    const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('parts');
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-language-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await createProject({ 'things.yaml': thing(HOUSES) });
    await regenerate(first);
    const before = await serveType(first, 'Thing', { url, folder });
    const [a] = await before.create({
      place: { city: 'Köln', floor: 3 },
      mails: [{ to: 'Ann@x' }, {}, { to: 'bob@y' }],
    });
    const [b] = await before.create({ place: { city: 'aachen' } });
    await before.served.close();
    const second = await next(first, SEARCHED);
    await regenerate(second);
    const searched = await serveType(second, 'Thing', { url, folder });
    try {
      expect(await searched.query({ city: 'KÖL' })).toEqual([a]);
      expect(await searched.query({ floor: 3 })).toEqual([a]);
      expect(await searched.query({ to: 'ann' })).toEqual([a]);
      expect(await searched.query({ toIs: 'bob@y' })).toEqual([a]);
      expect(await searched.query({}, [{ property: 'city' }])).toEqual([b, a]);
    } finally {
      await searched.served.close();
    }
    const third = await next(second, RENAMED);
    await regenerate(third);
    const renamed = await serveType(third, 'Thing', { url, folder });
    try {
      expect(await renamed.query({ city: 'KÖL', to: 'bob' })).toEqual([a]);
      expect(await renamed.query({}, [{ property: 'city', isAscending: false }])).toEqual([a, b]);
      await renamed.update(b, { 'home/city': 'Zürich' });
      expect(await renamed.query({ city: 'zür' })).toEqual([b]);
      expect(await renamed.query({}, [{ property: 'city' }])).toEqual([a, b]);
    } finally {
      await renamed.served.close();
    }
  });
});
