import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Item } from '../client/json.js';
import { Random } from '../random.js';
import { DRAWN_ROOM, Drawn } from '../subject/drawn.js';
import { populate } from '../subject/populated.js';
import {
  type Cached,
  cacheQuery,
  listIds,
  type Query,
  query,
  queryAll,
  queryChanges,
  queryOwn,
  spliceChanges,
} from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { buildFilter, buildFilters, drawTree, holds } from '../subject/trees.js';
import { countOctets } from '../subject/values.js';

/**
 * Compares without an oracle: a cache that follows /changes and /queryChanges must equal the
 * answers of /get and /query, whatever the values are. The run's seed repeats everything random.
 */

/** Compares two objects by their ids: /changes tells no order. */
const compareIds = (a: Item, b: Item): number => (a.id < b.id ? -1 : 1);

/**
 * Copies what /changes names into a shadow of the account, page by page. Returns the state that the
 * shadow comes to.
 */
async function followChanges(
  subject: Subject,
  shadow: Map<string, Item>,
  from: string,
  random: Random,
  between: () => Promise<void>,
): Promise<string> {
  const { client, type, A1: accountId } = subject;
  for (let state = from; ; ) {
    const maxChanges = random.integer(1, 8);
    const page = await client.changes(type, { accountId, sinceState: state, maxChanges });
    expect(listIds(page).length).toBeLessThanOrEqual(maxChanges);
    for (const id of page.destroyed) shadow.delete(id);
    const ids = [...page.created, ...page.updated];
    const { list, notFound } = await client.get(type, { accountId, ids });
    for (const item of list) shadow.set(item.id, item);
    // An object that is gone by now comes as destroyed with a later page.
    for (const id of notFound) shadow.delete(id);
    if (!page.hasMoreChanges) return page.newState;
    expect(page.newState).not.toBe(state);
    state = page.newState;
    if (random.chance(0.2)) await between();
  }
}

export const metamorphicChecks = [
  ...typeChecks('5.2', { methods: ['get', 'set', 'changes'], room: DRAWN_ROOM }, [
    {
      id: 'changes-random-pages',
      level: 'must',
      rule:
        'After random writes, pages of /changes of random sizes, applied one by one, rebuild ' +
        'exactly what /get shows, also where writes fall between them.',
      async run(subject) {
        const random = new Random(subject.server.seed);
        const drawn = new Drawn(subject, random);
        await subject.clear(subject.A1);
        const everything = { accountId: subject.A1, ids: null };
        const start = await subject.client.get(subject.type, everything);
        const shadow = new Map(start.list.map((item) => [item.id, item]));
        const ids: string[] = [];
        let { state } = start;
        for (let round = 0; round < 12; round += 1) {
          await drawn.write(ids);
          // Sometimes the client falls behind.
          if (random.chance(0.4) && round < 11) continue;
          state = await followChanges(subject, shadow, state, random, () => drawn.write(ids));
          const { list, state: now } = await subject.client.get(subject.type, everything);
          expect({ seed: random.seed, state }).toEqual({ seed: random.seed, state: now });
          expect([...shadow.values()].sort(compareIds)).toEqual(list.sort(compareIds));
        }
      },
    },
  ]),
  ...typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 3 }, [
    {
      id: 'query-random-trees',
      level: 'must',
      rule:
        'Random trees of AND, OR and NOT find what their conditions find by themselves, put ' +
        'together.',
      applies: ({ described }) =>
        described.filters.length === 0 ? 'The type declares no filter.' : null,
      async run(subject) {
        const random = new Random(subject.server.seed);
        await populate(subject, async (items) => {
          const all = buildFilters(subject, items).filter((one) => countOctets(one) < 300);
          const conditions = Array.from({ length: 12 }, () => random.pick(all));
          const matched: ReadonlySet<string>[] = [];
          for (const filter of conditions)
            matched.push(new Set(await queryOwn(subject, { filter })));
          for (let round = 0; round < 25; round += 1) {
            const tree = drawTree(random, conditions.length, 4);
            const filter = buildFilter(tree, conditions);
            const sort = new Drawn(subject, random).drawSort();
            const wanted = items.map(({ id }) => id).filter((id) => holds(tree, matched, id));
            const found = await queryOwn(subject, { filter, sort });
            const { seed } = random;
            expect({ seed, filter, ids: found.sort() }).toEqual({
              seed,
              filter,
              ids: wanted.sort(),
            });
          }
        });
      },
    },
  ]),
  ...typeChecks('5.6', { methods: ['get', 'set', 'query', 'queryChanges'], room: DRAWN_ROOM }, [
    {
      id: 'query-changes-random-splices',
      level: 'must',
      rule:
        'After random writes, what /queryChanges tells, spliced into the cached list, equals a ' +
        'fresh query: ids, order, total and state, for random filters and sorts.',
      async run(subject) {
        const random = new Random(subject.server.seed);
        const drawn = new Drawn(subject, random);
        await subject.clear(subject.A1);
        const ids: string[] = [];
        await drawn.write(ids);
        await drawn.write(ids);
        const caches: Cached[] = [];
        for (let n = 0; n < 12; n += 1)
          caches.push(
            await cacheQuery(subject, { filter: await drawn.drawFilter(), sort: drawn.drawSort() }),
          );
        for (let round = 0; round < 6; round += 1) {
          await drawn.write(ids);
          // Some fall behind, and catch up later.
          for (const [index, cache] of caches.entries())
            if (!random.chance(0.3)) caches[index] = await catchUp(subject, cache, random.seed);
        }
        for (const cache of caches) await catchUp(subject, cache, random.seed);
      },
    },
  ]),
];

/**
 * Brings a client's list of results up to date by /queryChanges, and expects it to be that of
 * /query.
 */
async function catchUp(subject: Subject, before: Cached, seed: number): Promise<Cached> {
  const args: Query = before.args;
  const changes = await queryChanges(subject, before, { calculateTotal: true });
  const ids = await queryAll(subject, args);
  const { queryState, total } = await query(subject, { ...args, calculateTotal: true, limit: 1 });
  expect({ seed, args, ids: spliceChanges(before.ids, changes) }).toEqual({ seed, args, ids });
  expect([changes.newQueryState, changes.total, total]).toEqual([queryState, total, ids.length]);
  return { args, ids, queryState };
}
