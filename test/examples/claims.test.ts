import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JSONSchema7 } from 'json-schema';
import { expect, onTestFinished, test } from 'vitest';
import { listVisible } from '../../conform/src/subject/described.js';
import { toSchema } from '../../conform/src/subject/values.js';
import { loadDescriptors } from '../../scripts/generator/load/index.js';
import { checkDescriptors } from '../../src/descriptor/check/index.js';
import type { ModelType } from '../../src/descriptor/model.js';
import { viewCapability } from '../../src/descriptor/view.js';
import { describedWorld } from '../conformance/descriptor.js';
import { ROOT } from '../support/server.js';
import { EXAMPLES } from '../support/shared-project.js';

// Counts the claims of examples/README.md.
const world = describedWorld(...EXAMPLES.map((name) => `../../examples/${name}.yaml`));
const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');

function typeOf(name: string): ModelType {
  const found = world.get(name);
  if (found === undefined) throw new Error(`No example has ${name}.`);
  return found.type;
}

const own = (type: ModelType) => listVisible(type).filter(({ role }) => role === undefined);
const propertyOf = (type: string, name: string) =>
  own(typeOf(type)).find((one) => one.name === name);

function levelsOfMaps(schema: JSONSchema7): number {
  const { properties, items, additionalProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  const inner = [...Object.values(properties ?? {}), items, additionalProperties].map((one) =>
    one === undefined ? 0 : levelsOfMaps(toSchema(one)),
  );
  return Number(isMap) + Math.max(0, ...inner);
}

test('the generator has no error and no warning for any example', async () => {
  const root = mkdtempSync(join(tmpdir(), 'jmapsmith-claims-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'capabilities'));
  for (const name of EXAMPLES)
    copyFileSync(join(ROOT, `examples/${name}.yaml`), join(root, `capabilities/${name}.yaml`));
  const { descriptors, problems } = await loadDescriptors(root);
  const views = descriptors.map((one) => {
    if (one.root === undefined) throw new Error(`${one.file} can't be read.`);
    return viewCapability({ ...one, root: one.root });
  });
  expect(views).toHaveLength(EXAMPLES.length);
  expect([...problems, ...checkDescriptors(views)]).toEqual([]);
});

test('the README leads to each project, descriptor and hook file', () => {
  for (const file of readdirSync(join(ROOT, 'examples')).filter((name) => name !== 'README.md'))
    expect(readme).toContain(`](${file})`);
});

test('every property that the README names exists', () => {
  const names = [...world.values()].flatMap(({ type }) => type.properties.map(({ name }) => name));
  for (const [, words = ''] of readme.matchAll(/\]\(\w+\.yaml\) \(([^)]*)\)/g))
    for (const [, name = ''] of words.matchAll(/`(\w+)`/g))
      expect([...names, ...world.keys()]).toContain(name);
});

test('catalogue: forty properties on the wire, nineteen filters with twelve operators', () => {
  const product = typeOf('Product');
  expect(own(product)).toHaveLength(40);
  expect(product.filters).toHaveLength(19);
  expect(new Set(product.filters.map(({ operator }) => operator)).size).toBe(12);
});

test('nested has three levels of maps, twice', () => {
  for (const name of ['floors', 'matrix'])
    expect(levelsOfMaps(propertyOf('Building', name)?.schema ?? {})).toBe(3);
});

test('tracker: counts; bookmarks: blobs; a singleton', () => {
  for (const [type, name] of [
    ['Issue', 'comments'],
    ['Project', 'issues'],
  ] as const)
    expect(propertyOf(type, name)?.computed).toMatchObject({ kind: 'count' });
  expect(propertyOf('Bookmark', 'iconBlobId')?.blobs).toEqual([[]]);
  const singletons = [...world.values()].filter(({ type }) => type.singleton);
  expect(singletons.map(({ type }) => type.name)).toEqual(['Preferences']);
});
