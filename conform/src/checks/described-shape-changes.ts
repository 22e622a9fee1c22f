import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { QueryChangesAnswer } from '../client/answers.js';
import { requireForm } from '../client/forms.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { type Cached, cacheQuery, type Query, tryQueryChanges } from '../subject/queries.js';
import { buildPatch, findGiven, listGroups } from '../subject/shapes.js';
import type { Subject } from '../subject/subject.js';
import { inGroups, inTrees, needCollapse, needTree } from './described-shapes.js';
import { expectSpliced } from './query-follow.js';

/** /queryChanges of results that take a shape, or whose sort has an argument. */

/** Keeps the results of queries whose changes the server can calculate. */
export async function cacheAll(
  subject: Subject,
  queries: readonly Query[],
): Promise<readonly Cached[]> {
  const caches: Cached[] = [];
  let reason: NotApplicable | undefined;
  for (const args of queries) {
    try {
      caches.push(await cacheQuery(subject, args));
    } catch (error) {
      if (!(error instanceof NotApplicable)) throw error;
      reason = error;
    }
  }
  if (caches.length === 0 && reason !== undefined) throw reason;
  return caches;
}

/**
 * Expects that each cached result, with its changes, is the query's result now. The server may say
 * cannotCalculateChanges. In a strict run it may only where `mayFail`.
 */
export async function expectFollowed(
  subject: Subject,
  caches: readonly Cached[],
  mayFail = false,
): Promise<void> {
  for (const cache of caches) {
    const { args, queryState: sinceQueryState } = cache;
    const [name, answer] = await tryQueryChanges(subject, { ...args, sinceQueryState });
    const isRefused = name === 'error' && answer['type'] === 'cannotCalculateChanges';
    if (isRefused && (mayFail || !subject.server.strict)) continue;
    expect({ args, name, answer }).toEqual({
      ...{ args, answer },
      name: `${subject.type}/queryChanges`,
    });
    const changes = requireForm(name, answer) as unknown as QueryChangesAnswer;
    await expectSpliced(subject, cache, changes);
  }
}

/** Writes, and expects that nothing is refused. */
export async function write(subject: Subject, args: object): Promise<void> {
  const { notCreated, notUpdated, notDestroyed } = await subject.set(args);
  expect({ notCreated, notUpdated, notDestroyed }).toEqual({
    ...{ notCreated: null, notUpdated: null, notDestroyed: null },
  });
}

/** Returns an update of one object; none where there is nothing to change. */
const toUpdate = (item: Item, patch: JsonMap): object =>
  Object.keys(patch).length === 0 ? {} : { update: { [item.id]: patch } };

const NEEDS = { methods: ['get', 'set', 'query', 'queryChanges'], room: 7 } as const;

export const describedShapeChangesChecks = typeChecks('5.6', NEEDS, [
  {
    id: 'described-collapse-changes',
    level: 'must',
    rule:
      'A client that applies /queryChanges to a cached collapsed result gets the result of a new ' +
      '/query, also after the first object of a group was added, moved or removed. The server ' +
      'may answer cannotCalculateChanges.',
    restsOn: 'the property that results collapse by',
    applies: needCollapse,
    async run(subject) {
      await inGroups(subject, async ({ own, queries }, { argument, by }) => {
        const shaped = queries.map((args) => ({ ...args, [argument]: true }));
        const groups = listGroups(subject, by);
        const more = groups[0] === undefined ? {} : { [by]: groups[0] };
        const caches = await cacheAll(subject, shaped);
        const [first, second] = [at(own, 0), at(own, 1)];
        await write(subject, {
          create: { k: { ...subject.create('new'), ...more } },
          ...toUpdate(second, buildPatch(subject, second, by)),
          destroy: [first.id],
        });
        await expectFollowed(subject, caches);
        const other = groups.find((one) => one !== (second[by] ?? null));
        if (other === undefined || findGiven(subject, by)?.access !== 'mutable') return;
        const later = await cacheAll(subject, shaped);
        await write(subject, { update: { [second.id]: { [by]: other } } });
        await expectFollowed(subject, later, true);
      });
    },
  },
  {
    id: 'described-tree-changes',
    level: 'must',
    rule:
      'A client that applies /queryChanges to a cached tree gets the result of a new /query, ' +
      'also after objects were added, changed or removed, or moved with all below them.',
    restsOn: 'the property that trees are made by',
    applies: needTree,
    async run(subject) {
      await inTrees(subject, async ({ own, queries }, { by, sort, filter }) => {
        const names = [sort, filter].filter((name) => name !== undefined);
        const all = [...names.map((name) => [name]), ...(names.length > 1 ? [names] : [])];
        const shaped = all.flatMap((some) =>
          queries.map(
            (args): Query => ({
              ...args,
              ...Object.fromEntries(some.map((name): [string, Json] => [name, true])),
            }),
          ),
        );
        const [root, other, leaf] = [at(own, 0), at(own, 4), at(own, -1)];
        const caches = await cacheAll(subject, shaped);
        await write(subject, {
          create: { k: { ...subject.create('new'), [by]: at(own, 2).id } },
          ...toUpdate(root, buildPatch(subject, root, by)),
          destroy: [leaf.id],
        });
        await expectFollowed(subject, caches);
        if (findGiven(subject, by)?.access !== 'mutable') return;
        for (const parent of [root.id, null]) {
          const later = await cacheAll(subject, shaped);
          await write(subject, { update: { [other.id]: { [by]: parent } } });
          await expectFollowed(subject, later);
        }
      });
    },
  },
]);
