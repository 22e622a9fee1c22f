import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkDescriptors } from '../../../src/descriptor/check/index.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import { parseDescriptor } from '../../../src/descriptor/parse.js';
import { viewCapability } from '../../../src/descriptor/view.js';
import { createProject, REPOSITORY, thing } from './project.js';

const FILE = 'capabilities/gadgets.yaml';
const SOURCE = readFileSync(join(REPOSITORY, 'test/golden/output/gadgets', FILE), 'utf8');
const JUNK = [null, -1.5, 'junk', [], {}, [[null]], { type: 'array' }];

/** The problems of a descriptor, whose model is built where there are none. */
function problemsOf(value: unknown): number {
  const { root, problems } = parseDescriptor(FILE, JSON.stringify(value));
  if (root === undefined) return problems.length;
  const view = viewCapability({ file: FILE, base: 'gadgets', start: root.at, root });
  const found = checkDescriptors([view]).filter(({ severity }) => severity === undefined);
  if (found.length === 0) buildModel([view]);
  return found.length;
}

/** The paths of everything in a value, the value itself included. */
function paths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([key, item]) => paths(item, [...path, key]))];
}

function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

it('the rules report any value anywhere in a descriptor, and never throw', () => {
  const good: unknown = parse(SOURCE);
  expect(problemsOf(good)).toBe(0);
  let wrong = 0;
  const places = paths(good).filter((_path, index) => index % 3 === 0);
  places.forEach((path, index) => {
    // Every place gets one kind of junk, every kind many places.
    const bad = replaced(good, path, JUNK[index % JUNK.length]);
    if (problemsOf(bad) > 0) wrong++;
  });
  expect(wrong).toBeGreaterThan(places.length / 2);
});

it('refuses a type of more properties than a table of PostgreSQL has columns for', async () => {
  const properties = (count: number) =>
    Array.from({ length: count }, (_, index) => `  p${index}: { type: boolean, default: false }`);
  const project = await createProject({
    'things.yaml': thing(['properties:', ...properties(501)].join('\n')),
  });
  const { code, stderr } = await project.generate();
  expect(code).toBe(2);
  expect(stderr).toContain('"properties" must NOT have more than 500 properties.');
  await project.write(
    'capabilities/things.yaml',
    thing(['properties:', ...properties(500)].join('\n')),
  );
  expect(await project.generate()).toMatchObject({ code: 0 });
});
