import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createProject, type Project, REPOSITORY, readTree } from './project.js';

const run = promisify(execFile);

const USE = `
import type { Gadget, GadgetCreate, GadgetFilter, GadgetPatch } from './generated/gadgets/Gadget.definition.js';
import { gadgetType } from './generated/gadgets/Gadget.definition.js';

const create: GadgetCreate = { title: 'x', kind: 'small', score: null };
const patch: GadgetPatch = { rank: null, 'meta/a/b/c': 1 };
const filter: GadgetFilter = { title: null, kind: ['small'], dueBefore: '2026-01-31T12:00:00Z' };
declare const gadget: Gadget;
const created: string = gadget.created;
const shape: typeof gadgetType.shape = undefined;

// @ts-expect-error a create gives the title
const untitled: GadgetCreate = {};
// @ts-expect-error only the server sets it
const counted: GadgetCreate = { title: 'x', count: 1 };
// @ts-expect-error a required property has no default to go back to
const bare: GadgetPatch = { title: null };
// @ts-expect-error no such condition
const other: GadgetFilter = { foo: 1 };

export { bare, counted, create, created, filter, other, patch, shape, untitled };
`;

/** Defaults whose keys every object has by itself. */
const KEYS = `
capability: urn:example:keys
types:
  Keyed:
    properties:
      maps:
        type: array
        items: { type: object, additionalProperties: { type: integer } }
        default: [{ toString: 1, a: 2 }, { constructor: 3 }, {}, { __proto__: 4 }]
      nested:
        type: object
        additionalProperties: { type: array, items: { type: object, additionalProperties: true } }
        default: { valueOf: [{ valueOf: { a: null } }, {}] }
`;

/** A type whose only method has an argument of its own. */
const EXTENDED = `
capability: urn:example:extended
types:
  Extended:
    properties:
      title: { type: string, default: '' }
    standardMethods:
      get:
        arguments: { type: object, properties: { near: { type: string, description: A place. } } }
`;

const CONFIG = {
  extends: join(REPOSITORY, 'tsconfig.json'),
  compilerOptions: { rootDir: '/', typeRoots: [join(REPOSITORY, 'node_modules/@types')] },
  include: ['generated', 'use.ts'],
};

it('emitted code passes the strictest compiler, and types the values of clients', async () => {
  const folder = join(REPOSITORY, 'test/golden/output/gadgets/capabilities');
  const bundled = await readTree(join(REPOSITORY, 'capabilities'));
  const project = await createProject({
    ...bundled,
    ...(await readTree(folder)),
    'keys.yaml': KEYS,
    'extended.yaml': EXTENDED,
  });
  expect((await project.generate()).code).toBe(0);
  await project.write('use.ts', USE);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  expect(await compile(project)).toBe('');
});

async function compile(project: Project): Promise<string> {
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  try {
    const { stdout } = await run(process.execPath, [tsc, '-p', project.root]);
    return stdout;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}
