import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchemaObject } from 'ajv';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { newDescriptor } from '../../../scripts/generator/new-descriptor.js';
import { REPOSITORY } from './project.js';

const text = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const schema = JSON.parse(text('generated/descriptor.schema.json')) as AnySchemaObject;

const FOLDERS = [
  ...['capabilities', 'examples'],
  ...readdirSync(join(REPOSITORY, 'test/golden/output')).map(
    (name) => `test/golden/output/${name}/capabilities`,
  ),
];
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(REPOSITORY, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`),
);

it.each(FILES)('%s is valid by the published meta-schema', (file) => {
  // An annotation of editors, beside the keywords of draft-07.
  const ajv = new Ajv({ strictTypes: false }).addKeyword('defaultSnippets');
  const validate = ajv.compile(schema);
  expect(validate(parse(text(file))), JSON.stringify(validate.errors)).toBe(true);
});

it('a shared file is valid by the schema of shared files', () => {
  const ajv = new Ajv({ strictTypes: false }).addKeyword('defaultSnippets').addSchema(schema);
  const validate = ajv.compile(JSON.parse(text('generated/shared.schema.json')));
  const part = { type: 'object', maxDepth: 3, properties: { next: { $ref: '#/Part' } } };
  expect(validate({ Part: part })).toBe(true);
  expect(validate({ Part: { ...part, type: 'objekt' } })).toBe(false);
  expect(validate({ capability: 'urn:example:todos' })).toBe(false);
});

it('the meta-schema has a description and examples for every key', () => {
  expect(untaught(schema, '')).toEqual([]);
});

it('offers editors every type, with and without null in quotes, and no object as a value', () => {
  const { type } = (definition('#/definitions/property')['properties'] ?? {}) as AnySchemaObject;
  const offered = (type as AnySchemaObject)['defaultSnippets'] as readonly {
    readonly body: string;
  }[];
  const names = ['string', 'boolean', 'integer', 'number', 'array', 'object'];
  expect(offered.map(({ body }) => body)).toEqual([
    ...names,
    ...names.map((name) => `[${name}, 'null']`),
  ]);
  for (const [, examples] of text('generated/descriptor.schema.json').matchAll(
    /"examples": (\[[^\]]*\])/g,
  ))
    expect(examples).not.toContain('{');
  const { defaultSnippets } = definition('#/definitions/sort');
  expect(defaultSnippets).toContainEqual({
    label: '{ property: due, indexed: true }',
    body: '{ property: due, indexed: true }',
  });
});

it('a file of `npm run new` names the meta-schema for editors', () => {
  expect(newDescriptor('Invoice')).toMatch(/^# yaml-language-server: \$schema=\.\.\/generated\//);
});

/** Keys, by path, that an editor could say nothing about. */
function untaught(node: unknown, path: string): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties } = node as { properties?: Readonly<Record<string, AnySchemaObject>> };
  const own = Object.entries(properties ?? {}).flatMap(([key, { $ref, ...said }]) => {
    const taught: AnySchemaObject = { ...definition($ref), ...said };
    const hasExamples = 'examples' in taught || 'defaultSnippets' in taught;
    const isTaught = typeof taught['description'] === 'string' && hasExamples;
    return isTaught ? [] : [`${path}/${key}`];
  });
  const data = ['examples', 'default', 'defaultSnippets'];
  const inner = Object.entries(node).filter(([key]) => !data.includes(key));
  // The members of these have names of the language; they are no keys of a schema.
  const within = inner.flatMap(([key, each]) =>
    key === 'properties' || key === 'definitions'
      ? Object.entries(each as object).map(([name, one]) => [`${path}/${name}`, one] as const)
      : [[`${path}/${key}`, each] as const],
  );
  return [...own, ...within.flatMap(([where, each]) => untaught(each, where))];
}

function definition(ref: unknown): AnySchemaObject {
  const name = String(ref).replace('#/definitions/', '');
  return (schema['definitions'] as Readonly<Record<string, AnySchemaObject>>)[name] ?? {};
}
