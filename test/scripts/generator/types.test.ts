import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile, createProject, REPOSITORY, readTree } from './project.js';

const USE = `
import type { HookReader } from 'jmapsmith/capability';
import type { Calls } from './generated/calls.js';
import type {
  Gadget, GadgetComparator, GadgetCreate, GadgetFilter, GadgetPatch,
} from './generated/gadgets/Gadget.definition.js';
import type { SortedComparator } from './generated/extended/Sorted.definition.js';
import { sortedType } from './generated/extended/Sorted.definition.js';
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

const tagged: Calls['Sorted/query']['arguments']['sort'] = [
  { property: 'rank', isAscending: false },
  { property: 'hasTag', tag: 'a', collation: 'i;octet' },
];
const shaped: Calls['Sorted/query']['arguments'] = { accountId: 'a', sort: tagged, collapse: true };
const changed: Calls['Sorted/queryChanges']['arguments'] = {
  accountId: 'a', sinceQueryState: '1', sort: tagged, collapse: true,
};
const copied: Calls['Sorted/copy']['arguments']['create'] = { k: { id: 'x', nickname: null } };
const forgotten: Calls['Sorted/set']['arguments']['update'] = { x: { nickname: null } };
declare const reader: HookReader;
const found = reader.query(sortedType, { sort: tagged });

// @ts-expect-error no such sort
const unsorted: GadgetComparator = { property: 'foo' };
// @ts-expect-error another sort needs the member
const strange: SortedComparator = { property: 'rank', tag: 'a' };
// @ts-expect-error the sort needs the member
const short: SortedComparator = { property: 'hasTag' };
// @ts-expect-error no such sort
const lost = reader.query(sortedType, { sort: [{ property: 'nickname' }] });
// @ts-expect-error the argument is a boolean
const misshaped: Calls['Sorted/query']['arguments'] = { accountId: 'a', collapse: 'x' };
// @ts-expect-error no such argument
const unshaped: Calls['Gadget/query']['arguments'] = { accountId: 'a', collapse: true };
// @ts-expect-error a create can't say null
const null1: Calls['Sorted/set']['arguments']['create'] = { k: { nickname: null } };
// @ts-expect-error a copy has a rank
const null2: Calls['Sorted/copy']['arguments']['create'] = { k: { id: 'x', rank: null } };

export { changed, copied, forgotten, found, lost, misshaped, null1, null2, shaped };
export { short, strange, tagged, unshaped, unsorted };
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

/** A type whose only method has an argument of its own, and one whose sorts and results have. */
const EXTENDED = `
capability: urn:example:extended
types:
  Extended:
    properties:
      title: { type: string, default: '' }
    standardMethods:
      get:
        arguments: { type: object, properties: { near: { type: string, description: A place. } } }
  Sorted:
    properties:
      rank: { type: integer, default: 0 }
      tags: { type: array, items: { type: string }, default: [] }
      topic: { type: string, maxLength: 20, default: '' }
      nickname: { type: string, maxLength: 20, optional: true }
    sort: [rank, { name: hasTag, property: tags, is: hasItem, argument: tag }]
    query: { collapse: { argument: collapse, by: topic } }
`;

const USE_OF_SHARES = `
import type { TodoList, TodoListStored } from './generated/share/TodoList.definition.js';
declare const list: TodoList;
declare const stored: TodoListStored;
export const mayWrite: boolean = list.myRights.mayWrite;
export const shareWith: TodoList['shareWith'] = stored.shareWith;
// @ts-expect-error it isn't stored
export const rights = stored.myRights;
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
  expect(await project.generate()).toMatchObject({ code: 0 });
  await project.write('use.ts', USE);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  expect(await compile(project.root)).toBe('');
});

it('emitted code of shared types compiles, and hooks get no rights of a reader', async () => {
  const folder = join(REPOSITORY, 'test/golden/output/share/capabilities');
  const project = await createProject(await readTree(folder));
  expect(await project.generate()).toMatchObject({ code: 0 });
  await project.write('use.ts', USE_OF_SHARES);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  expect(await compile(project.root)).toBe('');
});
