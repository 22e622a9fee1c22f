import { describe, expect, it } from 'vitest';
import { at, entry } from '../../support/expected.js';
import type { Item, Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Sections I, J and L of cases.md for String[Boolean] and Id[Boolean] (RFC 8620 1.1). */
export function gadgetSetCases(suite: Suite): void {
  const create = (tags: Json) =>
    suite.client.set('Gadget', {
      accountId: suite.A1,
      create: { k: { title: 't', tags } },
    });
  const made = async (tags: JsonMap = {}): Promise<string> =>
    entry((await create(tags)).created, 'k').id;
  const read = async (id: string): Promise<Item> =>
    at((await suite.client.get('Gadget', { accountId: suite.A1, ids: [id] })).list, 0);
  const tagsOf = async (id: string): Promise<Json | undefined> => (await read(id))['tags'];

  describe('Gadget: I, J. sets', () => {
    it('1.1: every value is true; keys are bounded in code points, the set in keys', async () => {
      const keys = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, true]));
      const wrong: readonly Json[] = [
        { a: false },
        { a: null },
        { a: 1 },
        { a: 'true' },
        ['a'],
        'a',
        { ['x'.repeat(51)]: true },
        { 'a\u0000': true },
        keys(101),
      ];
      for (const tags of wrong) {
        const { notCreated } = await create(tags);
        expect({ tags, notCreated }).toEqual({
          tags,
          notCreated: { k: expect.objectContaining({ type: 'invalidProperties' }) },
        });
      }
      for (const tags of [keys(100), { ['\u{1F600}'.repeat(50)]: true }, { '': true }]) {
        expect(await tagsOf(await made(tags))).toEqual(tags);
      }
    });
  });

  describe('Gadget: L. filters of sets and lists', () => {
    it('decision 14: hasKey and hasItem take an exact value', async () => {
      await suite.clear(suite.A1);
      const make = async (more: JsonMap): Promise<string> => {
        const create = { k: { title: 't', ...more } };
        const { created } = await suite.client.set('Gadget', { accountId: suite.A1, create });
        return entry(created, 'k').id;
      };
      const find = async (filter: JsonMap) =>
        (await suite.client.query('Gadget', { accountId: suite.A1, filter })).ids;
      const a = await make({ tags: { red: true, 'a/b"c': true }, list: ['x', 'x', 'y'] });
      const b = await make({ tags: { Red: true }, list: ['X'], links: { [a]: true } });
      const c = await make({ tags: JSON.parse('{"__proto__":true}') as JsonMap });
      expect(await find({ hasTag: 'red' })).toEqual([a]);
      expect(await find({ hasTag: 'a/b"c' })).toEqual([a]);
      expect(await find({ hasTag: 're' })).toEqual([]);
      expect(await find({ hasTag: '' })).toEqual([]);
      expect(await find({ hasTag: '__proto__' })).toEqual([c]);
      expect(await find({ hasTag: null })).toEqual([a, b, c]);
      expect(await find({ hasItem: 'x' })).toEqual([a]);
      expect(await find({ hasLink: a })).toEqual([b]);
      expect(
        await find({ operator: 'NOT', conditions: [{ hasTag: 'red' }, { hasItem: 'X' }] }),
      ).toEqual([c]);
    });

    it('decision 14: parentId with null finds the roots; a creation id matches nothing', async () => {
      await suite.clear(suite.A1);
      const { created } = await suite.client.set('Gadget', {
        accountId: suite.A1,
        create: { p: { title: 'p' }, c: { title: 'c', parentId: '#p' } },
      });
      const [p, c] = [entry(created, 'p').id, entry(created, 'c').id];
      const find = async (filter: JsonMap) =>
        (await suite.client.query('Gadget', { accountId: suite.A1, filter })).ids;
      expect(await find({ parentId: null })).toEqual([p]);
      expect(await find({ parentId: p })).toEqual([c]);
      expect(await find({ parentId: '#p' })).toEqual([]);
    });

    it('5.5: text finds words in any of its properties', async () => {
      await suite.clear(suite.A1);
      const { created } = await suite.client.set('Gadget', {
        accountId: suite.A1,
        create: {
          a: { title: 'Brass lamp', code: 'north' },
          b: { title: 'steel door', code: 'LAMP' },
          c: { title: 'other' },
        },
      });
      const find = async (words: string) =>
        (await suite.client.query('Gadget', { accountId: suite.A1, filter: { words } })).ids;
      const [a, b, c] = ['a', 'b', 'c'].map((key) => entry(created, key).id);
      expect(await find('lamp')).toEqual([a, b]);
      expect(await find('NORTH brass')).toEqual([a]);
      expect(await find('')).toEqual([a, b, c]);
    });
  });
}
