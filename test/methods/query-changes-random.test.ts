import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../support/random.js';
import { type Json, Rig } from './rig.js';

/**
 * RFC 8620 5.6: the whole result spliced by /queryChanges is the new one, whatever sorts it and
 * however many have changed. Of a few ids each is compared with every object; for more, all objects
 * are numbered.
 */

let rig: Rig;
let live: string[];
beforeEach(() => {
  rig = new Rig({ queryChangesMax: 500 });
  live = [];
});
afterEach(() => rig.close());

const random = Random.fromEnvironment();
const said = `TEST_SEED=${random.seed}`;
const LETTERS = [...'aAbÄöZ'];

const query = (of: object): Promise<Json> =>
  rig.call('Todo/query', { ...of, calculateTotal: true });

async function change(count: number): Promise<void> {
  const create = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `k${n}`,
      { text: random.pick(LETTERS), done: random.chance(0.3) },
    ]),
  );
  const destroy = live.filter(() => random.chance(0.15));
  const update = Object.fromEntries(
    live
      .filter((id) => !destroy.includes(id) && random.chance(0.2))
      .map((id) => [id, { text: random.pick(LETTERS), done: random.chance(0.4) }]),
  );
  const response = await rig.call('Todo/set', { create, update, destroy });
  const made = Object.values<Json>(response.created ?? {}).map(({ id }) => id);
  live = [...live.filter((id) => !destroy.includes(id)), ...made];
}

const by = (...properties: readonly string[]) =>
  properties.map((property) => ({
    property: property.replace('-', ''),
    isAscending: !property.startsWith('-'),
  }));

describe('RFC 8620 5.6: /queryChanges splices the old results into the new ones', () => {
  it.each([
    ['text', { sort: by('text') }],
    ['text, descending, of some', { filter: { done: false }, sort: by('-text') }],
    ['two properties', { sort: by('done', '-text', '-created') }],
    ['created, then another of the same millisecond', { sort: by('created', '-text') }],
    ['nothing, of some', { filter: { done: true } }],
  ])('sorted by %s', async (_, of) => {
    for (let round = 0; round < 12; round += 1) {
      const before = await query(of);
      await change(round % 4 === 0 ? 20 : random.integer(0, 3));
      if (random.chance(0.5)) await change(random.integer(0, 3));
      const since = { ...of, sinceQueryState: before.queryState, calculateTotal: true };
      const { removed, added, total } = await rig.call('Todo/queryChanges', since);
      const spliced = before.ids.filter((id: string) => !removed.includes(id));
      for (const { id, index } of added) spliced.splice(index, 0, id);
      const after = await query(of);
      expect(spliced, said).toEqual(after.ids);
      expect(total).toBe(after.total);
    }
  });

  it.each([['created'], ['-created']])(
    'sorted by %s, up to an id: the same without the changes behind it',
    async (order) => {
      const of = { sort: by(order) };
      for (let round = 0; round < 12; round += 1) {
        const before = await query(of);
        await change(round % 4 === 0 ? 20 : random.integer(0, 3));
        const after = await query(of);
        if (after.ids.length === 0) continue;
        const upToId: string = random.pick(after.ids);
        const since = { ...of, sinceQueryState: before.queryState };
        const all = await rig.call('Todo/queryChanges', since);
        const some = await rig.call('Todo/queryChanges', { ...since, upToId });
        const last = after.ids.indexOf(upToId);
        const isBehind = (id: string): boolean => (order === 'created' ? id > upToId : id < upToId);
        expect(some.added, said).toEqual(all.added.filter(({ index }: Json) => index <= last));
        expect(some.removed, said).toEqual(all.removed.filter((id: string) => !isBehind(id)));
      }
    },
  );
});
