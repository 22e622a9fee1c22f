import { describe, expect, it } from 'vitest';
import { at, entry, utcDate } from '../../support/expected.js';
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
  const patch = async (id: string, changes: JsonMap) => {
    const { updated, notUpdated } = await suite.client.set('Gadget', {
      accountId: suite.A1,
      update: { [id]: changes },
    });
    return updated === null ? { failed: entry(notUpdated, id) } : { updated: entry(updated, id) };
  };
  const ok = { updated: { updated: utcDate } };
  const invalid = (type: string) => ({ failed: expect.objectContaining({ type }) });

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

    it('case 243, 5.3: names of Object.prototype are plain keys', async () => {
      const tags = JSON.parse('{"__proto__":true,"constructor":true,"toString":true}') as JsonMap;
      const stored = await tagsOf(await made(tags));
      expect(Object.keys(stored as JsonMap).sort()).toEqual([
        '__proto__',
        'constructor',
        'toString',
      ]);
      expect({}).not.toHaveProperty('polluted');
    });

    it('cases 266 and 276, 5.3: keys are added and removed one by one', async () => {
      const id = await made({ old: true });
      expect(await patch(id, { 'tags/foo': true, 'tags/foobar': true })).toEqual(ok);
      expect(await tagsOf(id)).toEqual({ old: true, foo: true, foobar: true });
      expect(await patch(id, { 'tags/foo': null })).toEqual(ok);
      expect(await patch(id, { 'tags/foo': null })).toEqual({ updated: null });
      expect(await patch(id, { 'tags/foobar': true })).toEqual({ updated: null });
      expect(await tagsOf(id)).toEqual({ old: true, foobar: true });
    });

    it('case 265, 5.3: a whole set and one of its keys in one patch are invalidPatch', async () => {
      const id = await made({ a: true });
      expect(await patch(id, { tags: { b: true }, 'tags/c': true })).toEqual(
        invalid('invalidPatch'),
      );
      expect(await tagsOf(id)).toEqual({ a: true });
    });

    it('case 268, 5.3: ~1 is a slash, ~0 a tilde, anything else is wrong', async () => {
      const id = await made();
      expect(await patch(id, { 'tags/a~1b': true, 'tags/a~0b': true, 'tags/~01': true })).toEqual(
        ok,
      );
      expect(await tagsOf(id)).toEqual({ 'a/b': true, 'a~b': true, '~1': true });
      for (const pointer of ['tags/a~2', 'tags/a~', 'tags/~']) {
        expect(await patch(id, { [pointer]: true })).toEqual(invalid('invalidPatch'));
      }
      expect(await patch(id, { 'tags/a/b': true })).toEqual(invalid('invalidPatch'));
    });

    it('cases 270 and 271, 5.3: a leading slash is no name; a trailing one is the key ""', async () => {
      const id = await made();
      const answer = await patch(id, { '/title': 'other' });
      expect(['invalidPatch', 'invalidProperties']).toContain(answer.failed?.['type']);
      expect((await read(id))['title']).toBe('t');
      expect(await patch(id, { 'tags/': true })).toEqual(ok);
      expect(await tagsOf(id)).toEqual({ '': true });
    });

    it('RFC 6901 4: a key that looks like an index is a key', async () => {
      const id = await made();
      expect(await patch(id, { 'tags/0': true, 'tags/-': true, 'tags/01': true })).toEqual(ok);
      expect(await tagsOf(id)).toEqual({ '0': true, '-': true, '01': true });
    });

    it('5.3: a patched key is judged as the whole would be', async () => {
      const id = await made({ a: true });
      for (const changes of [
        { 'tags/b': false },
        { 'tags/b': 1 },
        { 'tags/b': {} },
        { [`tags/${'x'.repeat(51)}`]: true },
      ]) {
        expect(await patch(id, changes)).toEqual(invalid('invalidProperties'));
      }
      const full = Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [`tags/t${index}`, true]),
      );
      expect(await patch(id, full)).toEqual(invalid('invalidProperties'));
      expect(await patch(id, { ...full, 'tags/a': null })).toEqual(ok);
    });

    it('case 278, 5.3: {} and null clear the set', async () => {
      const id = await made({ a: true });
      expect(await patch(id, { tags: {} })).toEqual(ok);
      expect(await tagsOf(id)).toEqual({});
      await patch(id, { tags: { a: true } });
      expect(await patch(id, { tags: null })).toEqual({ updated: { updated: utcDate, tags: {} } });
      expect(await tagsOf(id)).toEqual({});
    });

    it('case 280, 5.3: __proto__ is a plain key of a set, and nowhere else a way in', async () => {
      const id = await made();
      expect(await patch(id, { 'tags/__proto__': true })).toEqual(ok);
      expect(Object.keys((await tagsOf(id)) as JsonMap)).toEqual(['__proto__']);
      expect(await patch(id, { 'tags/__proto__/x': true })).toEqual(invalid('invalidPatch'));
      expect(await patch(id, { 'tags/constructor/prototype/x': true })).toEqual(
        invalid('invalidPatch'),
      );
      expect({}).not.toHaveProperty('x');
    });

    it('5.3: an Id[Boolean] takes ids of records alone, by pointer too', async () => {
      const [id, other] = [await made(), await made()];
      expect(await patch(id, { [`links/${other}`]: true })).toEqual(ok);
      expect((await read(id))['links']).toEqual({ [other]: true });
      expect(await patch(id, { 'links/r1': true })).toEqual({
        failed: expect.objectContaining({ type: 'invalidProperties' }),
      });
      expect(await patch(id, { [`links/${other}`]: null })).toEqual(ok);
      expect((await read(id))['links']).toEqual({});
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
