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
  const ok = { updated: { updated: utcDate } };

  describe('Gadget: I. values of every kind', () => {
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
  });
}
