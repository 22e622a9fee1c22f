import { expect } from 'vitest';
import type { QueryAnswer } from '../../support/client.js';
import type { Item, JsonMap } from '../../support/json.js';
import { Random } from '../../support/random.js';
import type { Suite } from '../suite.js';

/**
 * Where an oracle is missing (cases 203, 376, 378): what /changes and /queryChanges say, applied to a cache, must
 * give what /get and /query say. A failure prints its seed; TEST_SEED repeats it.
 */
export function metamorphicCases(suite: Suite): void {
  const { profile, describe } = suite;
  const { name, text } = profile;
  const words = [
    'alpha',
    'Beta',
    'gamma',
    'Äpfel',
    'straße',
    'STRASSE',
    '10',
    '9',
    '',
    'in a word',
  ].filter((one) => suite.allows(one));

  /** A patch of some property of the type. */
  const randomPatch = (random: Random): JsonMap => {
    const patch: JsonMap = {};
    if (random.chance(0.7)) patch[text] = random.pick(words);
    for (const { property } of profile.flags) {
      if (random.chance(0.5)) patch[property] = random.chance(0.5);
    }
    return patch;
  };

  /** One /set of a few creates, updates and destroys. */
  const randomWrite = async (random: Random, ids: string[]): Promise<void> => {
    const create: JsonMap = {};
    for (let n = random.integer(0, 4); n > 0; n -= 1) {
      create[`k${n}`] = { ...suite.create('new'), ...randomPatch(random) };
    }
    const update: JsonMap = {};
    const destroy: string[] = [];
    for (const id of ids) {
      if (random.chance(0.15)) update[id] = randomPatch(random);
      else if (random.chance(0.07)) destroy.push(id);
    }
    const { created, notCreated } = await suite.client.set(name, {
      accountId: suite.A1,
      create,
      update,
      destroy,
    });
    expect(notCreated).toBeNull();
    const gone = new Set(destroy);
    const left = ids.filter((id) => !gone.has(id));
    ids.splice(0, ids.length, ...left, ...Object.values(created ?? {}).map(({ id }) => id));
  };

  const randomFilter = (random: Random, depth = 0): JsonMap | null => {
    const { textFilter } = profile;
    if (depth < 2 && random.chance(0.3)) {
      return {
        operator: random.pick(['AND', 'OR', 'NOT']),
        conditions: Array.from(
          { length: random.integer(0, 3) },
          () => randomFilter(random, depth + 1) ?? {},
        ),
      };
    }
    const condition: JsonMap = {};
    if (textFilter !== undefined && random.chance(0.7)) {
      condition[textFilter] = random.pick(['a', 'E', 'ÄP', 'ss', '1', '', null]);
    }
    for (const { filter } of profile.flags) {
      if (filter !== undefined && random.chance(0.4)) condition[filter] = random.chance(0.5);
    }
    return depth === 0 && Object.keys(condition).length === 0 ? null : condition;
  };

  const randomSort = (random: Random): JsonMap[] | null => {
    if (profile.sorts.length === 0 || random.chance(0.2)) return null;
    const collations = ['i;unicode-casemap', 'i;ascii-casemap', 'i;ascii-numeric', 'i;octet'];
    return Array.from({ length: random.integer(0, 2) }, () => ({
      property: random.pick(profile.sorts),
      isAscending: random.chance(0.5),
      ...(random.chance(0.5) ? { collation: random.pick(collations) } : {}),
    }));
  };

  describe(`${name}: metamorphic`, () => {
    suite.needsRoom(100)('case 203, 5.2: pages of /changes rebuild what /get shows', async () => {
      const random = Random.fromEnvironment();
      const ids = (await suite.all(suite.A1)).map(({ id }) => id);
      const start = await suite.client.get(name, { accountId: suite.A1, ids: null });
      const shadow = new Map<string, Item>(start.list.map((item) => [item.id, item]));
      let { state } = start;
      for (let round = 0; round < 12; round += 1) {
        await randomWrite(random, ids);
        // Sometimes the client falls behind, and sometimes writes fall between its pages.
        if (random.chance(0.4)) continue;
        for (let more = true; more; ) {
          const maxChanges = random.integer(1, 8);
          const page = await suite.client.changes(name, {
            accountId: suite.A1,
            sinceState: state,
            maxChanges,
          });
          expect(
            page.created.length + page.updated.length + page.destroyed.length,
            `seed ${random.seed}`,
          ).toBeLessThanOrEqual(maxChanges);
          for (const id of page.destroyed) shadow.delete(id);
          const { list, notFound } = await suite.client.get(name, {
            accountId: suite.A1,
            ids: [...page.created, ...page.updated],
          });
          for (const item of list) shadow.set(item.id, item);
          // A record of this page that is gone by now comes as destroyed with a later one.
          for (const id of notFound) shadow.delete(id);
          state = page.newState;
          more = page.hasMoreChanges;
          if (more && random.chance(0.2)) await randomWrite(random, ids);
        }
        const whole = await suite.client.get(name, { accountId: suite.A1, ids: null });
        expect(state, `seed ${random.seed}`).toBe(whole.state);
        expect(
          [...shadow.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
          `seed ${random.seed}`,
        ).toEqual(whole.list.sort((a, b) => (a.id < b.id ? -1 : 1)));
      }
    });

    suite.needsRoom(100, 'queryChanges')(
      'case 378, 5.6: a splice of /queryChanges equals the new /query',
      async () => {
        const random = Random.fromEnvironment();
        const ids = (await suite.all(suite.A1)).map(({ id }) => id);
        const caches: { args: object; answer: QueryAnswer }[] = [];
        for (let n = 0; n < 12; n += 1) {
          const args = { filter: randomFilter(random), sort: randomSort(random) };
          const answer = await suite.client.query(name, { accountId: suite.A1, ...args });
          caches.push({ args, answer });
        }
        for (let round = 0; round < 6; round += 1) {
          await randomWrite(random, ids);
          for (const cache of caches) {
            if (random.chance(0.3)) continue;
            const context = `seed ${random.seed}, ${JSON.stringify(cache.args)}`;
            const { answer } = cache;
            const changes = await suite.client.queryChanges(name, {
              accountId: suite.A1,
              ...cache.args,
              sinceQueryState: answer.queryState,
              calculateTotal: true,
            });
            const removed = new Set(changes.removed);
            const spliced = answer.ids.filter((id) => !removed.has(id));
            for (const { id, index } of changes.added) spliced.splice(index, 0, id);
            const fresh = await suite.client.query(name, {
              accountId: suite.A1,
              ...cache.args,
              calculateTotal: true,
            });
            expect(spliced, context).toEqual(fresh.ids);
            expect(changes.newQueryState, context).toBe(fresh.queryState);
            expect(changes.total, context).toBe(fresh.total);
            expect(fresh.total, context).toBe(fresh.ids.length);
            cache.answer = fresh;
          }
        }
      },
    );
  });
}
