import { expect } from 'expect';
import type { ModelShapes } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import type { Item, Json } from '../client/json.js';
import { at } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { populate } from '../subject/populated.js';
import { buildSorts, type Query, query, queryAll, tryQuery } from '../subject/queries.js';
import {
  collapse,
  filterTree,
  findGiven,
  giveGroups,
  giveParents,
  listGroups,
  sortTree,
} from '../subject/shapes.js';
import type { Subject } from '../subject/subject.js';
import { buildFilters } from '../subject/trees.js';
import { countOctets } from '../subject/values.js';

/** `query: { collapse, tree }`: results that take a shape by an argument of the call. */

/** Returns why no result of the type collapses; null where one does. */
export const needCollapse = ({ described }: Subject): string | null =>
  described.query?.collapse === undefined ? 'Results of the type don’t collapse.' : null;

/** Returns why no result of the type is a tree of objects of the run; null where one is. */
export function needTree(subject: Subject): string | null {
  const { tree } = subject.described.query ?? {};
  if (tree === undefined) return 'Results of the type are no trees.';
  return findGiven(subject, tree.by) === undefined ? 'No client makes the type’s trees.' : null;
}

/** The parts of a check that depend on the shape. */
export interface Scene {
  /** The objects that the run made for it. */
  readonly own: readonly Item[];
  /** All objects of the account, by id. */
  readonly items: ReadonlyMap<string, Item>;
  /** Queries without the arguments: each sort, and each filter. */
  readonly queries: readonly Query[];
}

/** Returns queries with each sort, and with each filter: a few of each. */
function buildQueries(subject: Subject, own: readonly Item[]): readonly Query[] {
  const sorts = buildSorts(subject).slice(0, 4);
  const filters = buildFilters(subject, own, 1).filter((one) => countOctets(one) < 2000);
  return [
    ...sorts.map((sort) => ({ sort })),
    ...filters.slice(0, 4).map((filter) => ({ filter, sort: sorts[1] ?? null })),
  ];
}

async function buildScene(subject: Subject, own: readonly Item[]): Promise<Scene> {
  // All objects count, and must be known.
  subject.listForeign();
  const all = await subject.listAll(subject.A1);
  const items = new Map(all.map((item) => [item.id, item]));
  return { own, items, queries: buildQueries(subject, own) };
}

/** Calls `work` with objects in groups of several. */
export async function inGroups(
  subject: Subject,
  work: (scene: Scene, shape: NonNullable<ModelShapes['collapse']>) => Promise<void>,
): Promise<void> {
  const shape = subject.described.query?.collapse;
  if (shape === undefined) throw new Error('The check does not apply.');
  const give = giveGroups(shape.by, listGroups(subject, shape.by));
  const isGrouped = (own: readonly Item[]): boolean =>
    collapse(
      own.map(({ id }) => id),
      new Map(own.map((one) => [one.id, one])),
      shape.by,
    ).length < own.length;
  await populate(
    subject,
    async (own) => {
      if (!isGrouped(own)) throw new NotApplicable(`No two objects share their ${shape.by}.`);
      await work(await buildScene(subject, own), shape);
    },
    give,
  );
}

/** Calls `work` with objects that are below others. */
export async function inTrees(
  subject: Subject,
  work: (scene: Scene, shape: NonNullable<ModelShapes['tree']>) => Promise<void>,
): Promise<void> {
  const shape = subject.described.query?.tree;
  if (shape === undefined) throw new Error('The check does not apply.');
  const give = giveParents(shape.by);
  await populate(subject, async (own) => work(await buildScene(subject, own), shape), give);
}

/** Returns the names of a type's arguments that give results a shape. */
const listArguments = ({ collapse, tree }: ModelShapes = {}): readonly string[] =>
  [collapse?.argument, tree?.sort, tree?.filter].filter((name) => name !== undefined);

/** Expects a result, its total, and the windows of it that a position or an anchor begins. */
async function expectResult(subject: Subject, args: Query, ids: readonly string[]): Promise<void> {
  const whole = await query(subject, { ...args, calculateTotal: true, limit: 1 });
  expect({ args, ids: await queryAll(subject, args), total: whole.total }).toEqual({
    args,
    ids,
    total: ids.length,
  });
  if (ids.length < 3) return;
  const last = ids.length - 1;
  for (const [window, from] of [
    [{ position: 1 }, 1],
    [{ position: -1 }, last],
    [{ anchor: at(ids, 1), anchorOffset: -1 }, 0],
    [{ anchor: at(ids, last) }, last],
  ] as const) {
    const { position, ids: found } = await query(subject, { ...args, ...window, limit: 2 });
    expect({ args, window, position, found }).toEqual({
      ...{ args, window, position: from },
      found: ids.slice(from, from + 2),
    });
  }
}

const NEEDS = { methods: ['get', 'set', 'query'], room: 6 } as const;

export const describedShapeChecks = typeChecks('5.5', NEEDS, [
  {
    id: 'described-collapse',
    level: 'must',
    rule:
      'With the argument of collapse a result has only the first object of each group, in the ' +
      'order of the sort; total, positions and anchors count these. Null is no group.',
    restsOn: 'the property that results collapse by',
    applies: needCollapse,
    async run(subject) {
      await inGroups(subject, async ({ items, queries }, { argument, by }) => {
        for (const args of queries) {
          const whole = await queryAll(subject, args);
          const ids = collapse(whole, items, by);
          await expectResult(subject, { ...args, [argument]: true }, ids);
          const hidden = whole.find((id) => !ids.includes(id));
          if (hidden === undefined) continue;
          const left = { ...args, [argument]: true, anchor: hidden };
          expect({ left, answer: await tryQuery(subject, left) }).toEqual({
            left,
            answer: subject.matchError('anchorNotFound'),
          });
        }
      });
    },
  },
  {
    id: 'described-tree',
    level: 'must',
    rule:
      'With the arguments of tree each object comes after its parent, and siblings are in the ' +
      'order of the sort. The result has no object below one that the filter leaves out.',
    restsOn: 'the property that trees are made by',
    applies: needTree,
    async run(subject) {
      await inTrees(subject, async ({ items, queries }, { by, sort, filter }) => {
        for (const args of queries) {
          const whole = await queryAll(subject, args);
          const all = await queryAll(subject, { sort: args.sort ?? null });
          const kept = filterTree(whole, items, by);
          if (sort !== undefined)
            await expectResult(subject, { ...args, [sort]: true }, sortTree(whole, all, items, by));
          if (filter !== undefined) await expectResult(subject, { ...args, [filter]: true }, kept);
          if (sort === undefined || filter === undefined) continue;
          const both = { ...args, [sort]: true, [filter]: true };
          await expectResult(subject, both, sortTree(kept, all, items, by));
        }
      });
    },
  },
  {
    id: 'described-shapes-arguments',
    level: 'must',
    rule:
      'An argument that gives results a shape is a Boolean; false is the same as none, and ' +
      'anything else is invalidArguments.',
    restsOn: 'the arguments that give results a shape',
    needs: { room: 0 },
    applies: ({ described }) =>
      listArguments(described.query).length > 0 ? null : 'Results of the type take no shape.',
    async run(subject) {
      const wrong: readonly Json[] = [1, 'true', [], {}];
      for (const argument of listArguments(subject.described.query)) {
        for (const value of wrong)
          expect({
            argument,
            value,
            answer: await tryQuery(subject, { [argument]: value }),
          }).toEqual({ argument, value, answer: subject.matchError('invalidArguments', argument) });
      }
    },
  },
  {
    id: 'described-shapes-none',
    level: 'must',
    rule: 'Where the argument that gives results a shape is false, they are as they are without.',
    restsOn: 'the arguments that give results a shape',
    applies: (subject) => (needCollapse(subject) === null ? null : needTree(subject)),
    async run(subject) {
      const expectPlain = async ({ queries }: Scene): Promise<void> => {
        for (const args of queries)
          for (const argument of listArguments(subject.described.query)) {
            const without = { ...args, [argument]: false };
            const ids = await queryAll(subject, without);
            expect({ without, ids }).toEqual({ without, ids: await queryAll(subject, args) });
          }
      };
      if (needCollapse(subject) === null) await inGroups(subject, expectPlain);
      if (needTree(subject) === null) await inTrees(subject, expectPlain);
    },
  },
]);
