import { expect } from 'vitest';
import { err, serverId, setError, utcDate } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section G of cases.md: /get (RFC 8620 5.1). */
export function getCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const get = (args: object) => suite.client.get(name, { accountId: suite.A1, ...args });

  describe(`${name}: G. /get`, () => {
    it('5.1: the whole response, every property of a record', async () => {
      const id = await suite.one(suite.A1, 'whole');
      expect(await get({ ids: [id] })).toEqual({
        accountId: suite.A1,
        state: expect.stringMatching(/^(0|[1-9]\d*)$/),
        list: [
          {
            ...suite.shown('whole'),
            id,
            created: utcDate,
            updated: utcDate,
          },
        ],
        notFound: [],
      });
    });

    it('case 163, 5.1: ids [] answers nothing but the state', async () => {
      await suite.one(suite.A1);
      const { state } = await get({ ids: null });
      expect(await get({ ids: [] })).toEqual({
        accountId: suite.A1,
        state,
        list: [],
        notFound: [],
      });
    });

    it('case 165, 5.1: each id is answered once', async () => {
      const id = await suite.one(suite.A1);
      const answer = await get({ ids: [id, id, 'x', 'x'], properties: [text] });
      expect(answer.list).toEqual([{ id, [text]: 'one' }]);
      expect(answer.notFound).toEqual(['x']);
    });

    it('case 166, 5.1: with unknown ids alone the list is empty', async () => {
      const answer = await get({ ids: ['x', 'y'] });
      expect(answer.list).toEqual([]);
      expect([...answer.notFound].sort()).toEqual(['x', 'y']);
    });

    it('decision 12: a string that can be no id is notFound', async () => {
      const ids = ['', ' ', 'a b', 'é', 'x'.repeat(300), '__proto__', "' OR 1=1 --", '\u0000'];
      const answer = await get({ ids });
      expect(answer.list).toEqual([]);
      expect([...answer.notFound].sort()).toEqual([...ids].sort());
    });

    it('case 168, 5.1: no properties argument means every property', async () => {
      const id = await suite.one(suite.A1);
      for (const args of [{ ids: [id] }, { ids: [id], properties: null }]) {
        const [item] = (await get(args)).list;
        expect(Object.keys(item ?? {}).sort()).toEqual([...profile.properties].sort());
      }
    });

    it('cases 170 and 171, 5.1: the id is always there, a property named twice is there once', async () => {
      const id = await suite.one(suite.A1);
      expect((await get({ ids: [id], properties: [] })).list).toEqual([{ id }]);
      expect((await get({ ids: [id], properties: [text, text] })).list).toEqual([
        { id, [text]: 'one' },
      ]);
      expect((await get({ ids: [id], properties: ['id'] })).list).toEqual([{ id }]);
    });

    it('case 173, 5.1: an invalid property name rejects the call', async () => {
      const id = await suite.one(suite.A1);
      const wrong = [
        text.toUpperCase(),
        'nope',
        ...suite.hidden,
        '',
        '__proto__',
        'accountId',
        'toString',
      ];
      for (const property of wrong) {
        expect(
          await suite.client.call(`${name}/get`, {
            accountId: suite.A1,
            ids: [id],
            properties: [text, property],
          }),
        ).toEqual(err('invalidArguments', property));
      }
    });

    it('case 175, decision 12: ids count as they were sent', async () => {
      const id = await suite.one(suite.A1);
      const most = Array.from({ length: 1000 }, () => id);
      expect((await get({ ids: most })).list).toHaveLength(1);
      expect(
        await suite.client.call(`${name}/get`, { accountId: suite.A1, ids: [...most, id] }),
      ).toEqual(err('requestTooLarge'));
    });

    it('case 178, 5.1: the state changes with each create, update and destroy', async () => {
      const states = [await suite.state(suite.A1)];
      const id = await suite.one(suite.A1);
      states.push(await suite.state(suite.A1));
      await suite.client.set(name, { accountId: suite.A1, update: { [id]: { [text]: 'other' } } });
      states.push(await suite.state(suite.A1));
      await suite.client.set(name, { accountId: suite.A1, destroy: [id] });
      states.push(await suite.state(suite.A1));
      expect(new Set(states).size).toBe(4);
      expect(await suite.state(suite.A1)).toBe(states[3]);
    });

    it('case 180, 5.1: an id of another account is notFound', async () => {
      const id = await suite.one(suite.A2);
      const answer = await get({ ids: [id] });
      expect(answer.list).toEqual([]);
      expect(answer.notFound).toEqual([id]);
    });

    it('case 181, 1.2: ids are safe, distinct without case, and in order of creation', async () => {
      const ids = await suite.make(suite.A1, ...Array.from({ length: 50 }, (_, i) => `n${i}`));
      for (const id of ids) expect(id).toEqual(serverId);
      expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(50);
      expect([...ids].sort()).toEqual(ids);
      expect(ids.filter((id) => id.toUpperCase().includes('NIL') && id.length === 3)).toEqual([]);
    });

    it('case 185, 5.1: any Unicode round trips without normalisation', async () => {
      const texts = [
        '🦊👩‍👩‍👧',
        'e\u0301 is not \u00e9',
        'שלום עולם',
        'a\u0001\t\n\r\u2028b',
        '\ufeff\ufffd\u{10fffd}',
        "'; DROP TABLE x; --",
        '',
        '   ',
      ].filter((one) => suite.allows(one));
      const ids = await suite.make(suite.A1, ...texts);
      const { list } = await get({ ids, properties: [text] });
      const byId = new Map(list.map((item) => [item.id, item[text]]));
      expect(ids.map((id) => byId.get(id))).toEqual(texts);
    });

    it('case 185, decision 4: U+0000 in a stored string is invalidProperties', async () => {
      const create = { k: suite.create('a\u0000b') };
      const answer = await suite.client.set(name, { accountId: suite.A1, create });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({ k: setError('invalidProperties', [text]) });
    });
  });
}
