import { describe, expect, it } from 'vitest';
import { at, entry, setError, textWith, utcDate } from '../../support/expected.js';
import type { Item, Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Sections I and J of cases.md for values of every kind: what a create and a PatchObject may do to them. */
export function gadgetPatchCases(suite: Suite): void {
  const create = async (gadget: JsonMap): Promise<JsonMap> => {
    const { created, notCreated } = await suite.client.set('Gadget', {
      accountId: suite.A1,
      create: { k: { title: 'x', ...gadget } },
    });
    return created === null ? { notCreated: entry(notCreated, 'k') } : entry(created, 'k');
  };
  const made = async (gadget: JsonMap): Promise<string> => String((await create(gadget))['id']);
  const read = async (id: string): Promise<Item> =>
    at((await suite.client.get('Gadget', { accountId: suite.A1, ids: [id] })).list, 0);
  const patch = async (id: string, changes: JsonMap) => {
    const { updated, notUpdated } = await suite.client.set('Gadget', {
      accountId: suite.A1,
      update: { [id]: changes },
    });
    return updated === null ? { failed: entry(notUpdated, id) } : { updated: entry(updated, id) };
  };
  const refusesAll = async (id: string, type: string, patches: readonly JsonMap[]) => {
    const before = await read(id);
    for (const changes of patches) {
      expect({ changes, answer: await patch(id, changes) }).toEqual({
        changes,
        answer: { failed: expect.objectContaining({ type, description: expect.any(String) }) },
      });
    }
    expect(await read(id)).toEqual(before);
  };
  const ok = { updated: { updated: utcDate } };

  describe('Gadget: I. values of every kind', () => {
    it('decision 10: more digits of a UTCDate are cut, the stored value is reported', async () => {
      for (const [sent, stored] of [
        ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05Z'],
        ['2026-01-02T03:04:05.120Z', '2026-01-02T03:04:05.12Z'],
        ['2026-01-02T03:04:05.123456Z', '2026-01-02T03:04:05.123Z'],
        ['2026-01-02T03:04:05.0009Z', '2026-01-02T03:04:05Z'],
        ['1969-12-31T23:59:59.5000Z', '1969-12-31T23:59:59.5Z'],
      ] as const) {
        const answer = await create({ due: sent });
        expect(answer['due']).toBe(stored);
        expect((await read(String(answer['id'])))['due']).toBe(stored);
        const id = await made({});
        expect(await patch(id, { due: sent })).toEqual({
          updated: { updated: utcDate, due: stored },
        });
      }
      const exact = await create({ due: '2026-01-02T03:04:05Z' });
      expect((await read(String(exact['id'])))['due']).toBe('2026-01-02T03:04:05Z');
    });

    it('case 226, 1.4: other forms are refused or come out canonical', async () => {
      const forms = [
        '2026-01-02T03:04:05z',
        '2026-01-02t03:04:05Z',
        '2026-01-02T03:04:05+00:00',
        '2026-01-02T24:00:00Z',
        '2026-02-31T00:00:00Z',
        '2026-12-31T23:59:60Z',
      ];
      for (const due of forms) {
        const answer = await create({ due });
        if ('notCreated' in answer) {
          expect(answer['notCreated']).toEqual(setError('invalidProperties', ['due']));
        } else {
          expect(answer['due']).toEqual(utcDate);
        }
      }
      for (const due of ['', 'tomorrow', '2026-01-02', '2026-01-02 03:04:05Z', 5, true, {}]) {
        expect(await create({ due })).toEqual({
          notCreated: setError('invalidProperties', ['due']),
        });
      }
    });

    it('case 228, 5.3: a value outside an enum, numbers outside bounds', async () => {
      const wrong: readonly JsonMap[] = [
        { kind: 'medium' },
        { kind: 'Small' },
        { kind: null },
        { rank: 11 },
        { rank: -11 },
        { rank: 1.5 },
        { rank: '1' },
        { rank: true },
        { score: '1' },
        { list: 'x' },
        { list: [1] },
        { list: [null] },
        { list: {} },
        { list: Array.from({ length: 51 }, () => 'x') },
        { list: ['x'.repeat(101)] },
        { title: ''.padEnd(201, 'x') },
      ];
      for (const gadget of wrong) {
        const [property = ''] = Object.keys(gadget);
        expect({ gadget, answer: await create(gadget) }).toEqual({
          gadget,
          answer: {
            notCreated: expect.objectContaining({
              type: 'invalidProperties',
              description: textWith(property),
              properties: [expect.stringMatching(new RegExp(`^${property}(/|$)`))],
            }),
          },
        });
      }
      for (const gadget of [
        { rank: 10 },
        { rank: -10 },
        { score: 1.5 },
        { score: -1e300 },
        { list: [] },
      ]) {
        const id = await made(gadget);
        expect(await read(id)).toEqual(expect.objectContaining(gadget));
      }
    });

    it('cases 45 and 230, 1.3: the text of a number decides; -0 is 0', async () => {
      const raw = async (value: string) => {
        const answer = await suite.client.post(
          `{"using":["urn:ietf:params:jmap:core","${suite.profile.capability}"],"methodCalls":[["Gadget/set",` +
            `{"accountId":"${suite.A1}","create":{"k":{"title":"x",${value}}}},"c"]]}`,
        );
        const { methodResponses } = answer.json as unknown as {
          methodResponses: [
            string,
            { created?: Record<string, JsonMap>; notCreated?: Record<string, JsonMap> },
          ][];
        };
        return at(methodResponses, 0)[1];
      };
      for (const value of [
        '"rank":4.99999999999999999999',
        '"rank":1e400',
        '"rank":1e-400',
        '"score":1e400',
      ]) {
        const property = value.slice(1, value.indexOf('":'));
        expect((await raw(value)).notCreated).toEqual({
          k: setError('invalidProperties', [property]),
        });
      }
      for (const [value, property, stored] of [
        ['"rank":-0', 'rank', 0],
        ['"rank":5.0', 'rank', 5],
        ['"rank":1e1', 'rank', 10],
        ['"score":-0.0', 'score', 0],
        ['"score":0.1', 'score', 0.1],
      ] as const) {
        const { created } = await raw(value);
        const got = await read(String(entry(created ?? null, 'k')['id']));
        expect(Object.is(got[property], stored)).toBe(true);
      }
    });

    it('case 230, 5.3: a wrong value deep inside names the property', async () => {
      const wrong: readonly Json[] = [
        { a: { b: { c: 'x' } } },
        { a: { b: { c: 1.5 } } },
        { a: null },
        { a: 5 },
        { nope: 1 },
        { a: { nope: 1 } },
        { note: 5 },
        [],
        'x',
      ];
      for (const meta of wrong) {
        const answer = await create({ meta });
        expect({ meta, answer }).toEqual({
          meta,
          answer: {
            notCreated: expect.objectContaining({
              type: 'invalidProperties',
              properties: [expect.stringMatching(/^meta(\/|$)/)],
            }),
          },
        });
      }
      const meta = { a: { b: { c: 1 } }, note: null };
      expect((await read(await made({ meta })))['meta']).toEqual(meta);
    });

    it('decision 4: U+0000 anywhere in a stored string is invalidProperties', async () => {
      for (const gadget of [{ list: ['a\u0000'] }, { meta: { note: '\u0000' } }]) {
        expect(await create(gadget)).toEqual({
          notCreated: expect.objectContaining({ type: 'invalidProperties' }),
        });
      }
    });
  });

  describe('Gadget: J. PatchObject', () => {
    it('case 251, 5.3: an immutable property may be sent as it is, not otherwise', async () => {
      const id = await made({ kind: 'large' });
      expect(await patch(id, { kind: 'large' })).toEqual({ updated: null });
      expect(await patch(id, { kind: 'large', rank: 1 })).toEqual(ok);
      expect(await patch(id, { kind: 'small' })).toEqual({
        failed: setError('invalidProperties', ['kind']),
      });
      // Null stands for the default, which is another value here.
      expect(await patch(id, { kind: null })).toEqual({
        failed: setError('invalidProperties', ['kind']),
      });
      expect((await read(id))['kind']).toBe('large');
    });

    it('case 258, 5.3: parents must exist, for a removal too', async () => {
      const id = await made({ meta: { note: 'n' } });
      await refusesAll(id, 'invalidPatch', [
        { 'meta/a/b': { c: 1 } },
        { 'meta/a/b': null },
        { 'meta/a/b/c': 5 },
        { 'meta/x/y': 5 },
        { 'meta/x/y': null },
        { 'meta/note/x': 1 },
        { 'title/x': 1 },
        { 'score/x': 1 },
        { 'blobId/x': null },
      ]);
    });

    it('case 260, 5.3: a member may be added where the schema has it', async () => {
      const id = await made({});
      expect(await patch(id, { 'meta/note': 'added' })).toEqual(ok);
      expect(await patch(id, { 'meta/a': { b: {} } })).toEqual(ok);
      expect(await patch(id, { 'meta/a/b/c': 7 })).toEqual(ok);
      expect((await read(id))['meta']).toEqual({ note: 'added', a: { b: { c: 7 } } });
      await refusesAll(id, 'invalidProperties', [
        { 'meta/new': 1 },
        { 'meta/a/b/d': 1 },
        { 'meta/a/b/c': 'text' },
        { 'meta/a/b': 5 },
        { 'meta/__proto__': {} },
        { 'meta/note': 5 },
      ]);
    });

    it('case 263, 5.3: an array is replaced as a whole', async () => {
      const id = await made({ list: ['a', 'b'] });
      expect(await patch(id, { list: ['z', 'a', 'z'] })).toEqual(ok);
      expect((await read(id))['list']).toEqual(['z', 'a', 'z']);
      await refusesAll(id, 'invalidPatch', [
        { 'list/0': 'x' },
        { 'list/-': 'x' },
        { 'list/0': null },
        { 'list/x': 1 },
      ]);
    });

    it('cases 265 and 266, 5.3: no pointer is the prefix of another, counted in whole tokens', async () => {
      const id = await made({ meta: { a: { b: { c: 1 } }, note: 'n' } });
      await refusesAll(id, 'invalidPatch', [
        { 'meta/a': {}, 'meta/a/b': {} },
        { meta: {}, 'meta/note': 'x' },
        { 'meta/a/b/c': 2, 'meta/a': null },
      ]);
      expect(await patch(id, { 'meta/a/b/c': 2, 'meta/note': 'm', title: 't' })).toEqual(ok);
      expect((await read(id))['meta']).toEqual({ a: { b: { c: 2 } }, note: 'm' });
    });

    it('cases 268, 270, 271, 5.3: escapes, leading and trailing slashes', async () => {
      const id = await made({ meta: { note: 'n' } });
      await refusesAll(id, 'invalidPatch', [{ 'meta/~2': 1 }, { 'meta/a~': 1 }, { '~': 1 }]);
      for (const pointer of ['/title', '/meta/note', 'meta/', 'meta~1note', 'title/']) {
        const answer = await patch(id, { [pointer]: 'x' });
        expect(['invalidPatch', 'invalidProperties']).toContain(answer.failed?.['type']);
      }
    });

    it('cases 273, 275, 278, 5.3: null at the top restores the default and reports it', async () => {
      const id = await made({
        rank: 5,
        score: 1.5,
        due: '2026-01-02T03:04:05Z',
        meta: { note: 'n' },
        list: ['a'],
      });
      expect(await patch(id, { rank: null, meta: null, list: null })).toEqual({
        updated: { updated: utcDate, rank: 0, meta: {}, list: [] },
      });
      expect(await patch(id, { score: null, due: null })).toEqual(ok);
      expect(await read(id)).toEqual(
        expect.objectContaining({ rank: 0, score: null, due: null, meta: {}, list: [] }),
      );
      expect(await patch(id, { title: null })).toEqual({
        failed: setError('invalidProperties', ['title']),
      });
    });

    it('case 276, 5.3: null inside removes; where nothing is, it is no change', async () => {
      const id = await made({ meta: { note: 'n', a: { b: { c: 1 } } } });
      expect(await patch(id, { 'meta/note': null })).toEqual(ok);
      expect(await patch(id, { 'meta/note': null })).toEqual({ updated: null });
      expect(await patch(id, { 'meta/a/b/c': null })).toEqual(ok);
      expect((await read(id))['meta']).toEqual({ a: { b: {} } });
    });

    it('case 280, 5.3: names of Object.prototype', async () => {
      const id = await made({ meta: { note: 'n' } });
      await refusesAll(id, 'invalidPatch', [
        { '__proto__/x': 1 },
        { 'constructor/prototype/x': 1 },
        { 'meta/__proto__/x': 1 },
        { 'meta/constructor/prototype/x': 1 },
      ]);
      expect({}).not.toHaveProperty('x');
    });

    it('case 281, 5.3: two records patched with one referred value do not share it', async () => {
      const [one, two] = [await made({}), await made({})];
      const reference = { resultOf: 'v', name: 'Core/echo', path: '/update' };
      const meta = { a: { b: { c: 1 } } };
      await suite.client.api([
        ['Core/echo', { update: { [one]: { meta }, [two]: { meta } } }, 'v'],
        ['Gadget/set', { accountId: suite.A1, '#update': reference }, 's'],
        ['Gadget/set', { accountId: suite.A1, update: { [one]: { 'meta/a/b/c': 2 } } }, 't'],
      ]);
      expect((await read(one))['meta']).toEqual({ a: { b: { c: 2 } } });
      expect((await read(two))['meta']).toEqual(meta);
    });

    it('case 283, decision 8: equal values, whatever their order, are no change', async () => {
      const meta = { a: { b: { c: 1 } }, note: 'n' };
      const id = await made({ meta, list: ['a'], score: 1, due: '2026-01-02T03:04:05Z' });
      const before = await read(id);
      const state = await suite.state(suite.A1);
      const same: readonly JsonMap[] = [
        { meta: { note: 'n', a: { b: { c: 1 } } } },
        { 'meta/a/b/c': 1 },
        { list: ['a'] },
        { score: 1.0 },
        { title: 'x', kind: 'small', rank: 0 },
        before,
      ];
      for (const changes of same) expect(await patch(id, changes)).toEqual({ updated: null });
      expect(await read(id)).toEqual(before);
      expect(await suite.state(suite.A1)).toBe(state);
    });
  });
}
