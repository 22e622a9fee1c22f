import { describe, expect, it } from 'vitest';
import { at, entry, err, setError, utcDate } from '../../support/expected.js';
import type { Item, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** The types beside Gadget: Single, a singleton, and Crate, with limits; a method of the team's own. */
export function gadgetNeighbourCases(suite: Suite): void {
  const defaults = { theme: 'plain', size: 10, note: null };
  const single = async (accountId: string, ids: readonly string[] | null = null) =>
    suite.client.get('Single', { accountId, ids });
  const setSingle = (args: object) => suite.client.set('Single', { accountId: suite.A1, ...args });

  describe('Single: a singleton', () => {
    it('case 183, 5.1: it is there before it was ever written', async () => {
      const { AT } = suite.fixtures();
      expect(await suite.client.call('Single/get', { accountId: AT, ids: null })).toEqual(
        err('accountNotSupportedByMethod'),
      );
      for (const ids of [null, ['singleton']]) {
        expect(await single(suite.A2, ids)).toEqual({
          accountId: suite.A2,
          state: '0',
          list: [{ id: 'singleton', created: utcDate, updated: utcDate, ...defaults }],
          notFound: [],
        });
      }
      const { list, notFound } = await single(suite.A2, ['singleton', 'other']);
      expect([list.length, notFound]).toEqual([1, ['other']]);
    });

    it('case 296, 5.3: neither create nor destroy; updates are changes', async () => {
      const answer = await setSingle({
        create: { k: {}, l: { theme: 'x' } },
        update: { singleton: { theme: 'dark', note: 'n' }, other: { theme: 'x' } },
      });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({ k: setError('singleton'), l: setError('singleton') });
      expect(answer.updated).toEqual({ singleton: { updated: utcDate } });
      expect(answer.notUpdated).toEqual({ other: setError('notFound') });
      const destroyed = await setSingle({ destroy: ['singleton'] });
      expect(destroyed.destroyed).toBeNull();
      expect(destroyed.notDestroyed).toEqual({ singleton: setError('singleton') });
      expect(destroyed.newState).toBe(answer.newState);
      const changes = await suite.client.changes('Single', {
        accountId: suite.A1,
        sinceState: answer.oldState,
      });
      expect([changes.created, changes.updated, changes.destroyed]).toEqual([
        [],
        ['singleton'],
        [],
      ]);
      expect(at((await single(suite.A1)).list, 0)).toMatchObject({ theme: 'dark', note: 'n' });
    });

    it('5.3: bounds, defaults and what changes nothing', async () => {
      for (const [property, value] of [
        ['size', 0],
        ['size', 101],
        ['theme', 'x'.repeat(51)],
        ['note', 5],
      ] as const) {
        const { notUpdated } = await setSingle({ update: { singleton: { [property]: value } } });
        expect(notUpdated).toEqual({ singleton: setError('invalidProperties', [property]) });
      }
      await setSingle({ update: { singleton: { size: 100 } } });
      const { updated } = await setSingle({ update: { singleton: { size: null } } });
      expect(updated).toEqual({ singleton: { updated: utcDate, size: 10 } });
      expect((await setSingle({ update: { singleton: { size: 10 } } })).updated).toEqual({
        singleton: null,
      });
    });

    it('5.3: another account keeps its own', async () => {
      await setSingle({ update: { singleton: { theme: 'mine' } } });
      expect(at((await single(suite.A2)).list, 0)).toMatchObject(defaults);
    });
  });

  describe('Crate: limits and a key of two properties', () => {
    const set = (args: object) => suite.client.set('Crate', { accountId: suite.A1, ...args });
    const all = async (): Promise<Item[]> =>
      (await suite.client.get('Crate', { accountId: suite.A1, ids: null })).list;
    const clear = async () => set({ destroy: (await all()).map(({ id }) => id) });

    it('case 238, 5.3: tooLarge and overQuota; the others of the call continue', async () => {
      await clear();
      const { created, notCreated } = await set({
        create: { big: { label: 'x'.repeat(300) }, a: {}, b: {}, c: {}, d: {}, wrong: { row: -1 } },
      });
      expect(Object.keys(created ?? {})).toEqual(['a', 'b', 'c']);
      expect(notCreated).toEqual({
        big: setError('tooLarge'),
        d: setError('overQuota'),
        wrong: setError('invalidProperties', ['row']),
      });
      const { id } = entry(created, 'a');
      const large = await set({ update: { [id]: { label: 'x'.repeat(300) } } });
      expect(large.notUpdated).toEqual({ [id]: setError('tooLarge') });
      const exchanged = await set({ create: { k: {} }, destroy: [id] });
      expect(exchanged.notCreated).toBeNull();
      expect(await all()).toHaveLength(3);
    });

    it('5.3: both properties of the key together, null is no value', async () => {
      await clear();
      const { created, notCreated } = await set({
        create: { a: { row: 1, shelf: 's' }, b: { row: 1, shelf: 's' }, c: { row: 2, shelf: 's' } },
      });
      expect(Object.keys(created ?? {})).toEqual(['a', 'c']);
      expect(notCreated).toEqual({
        b: expect.objectContaining({
          type: 'alreadyExists',
          existingId: entry(created, 'a').id,
        }),
      });
      await clear();
      expect((await set({ create: { a: { row: 1 }, b: { row: 1 } } })).notCreated).toBeNull();
    });

    it('cascade: what belongs to an object goes with it, with a record', async () => {
      await clear();
      const gadgetId = await suite.one(suite.A1);
      const { created, newState } = await set({ create: { k: { gadgetId }, l: {} } });
      await suite.client.set('Gadget', { accountId: suite.A1, destroy: [gadgetId] });
      const changes = await suite.client.changes('Crate', {
        accountId: suite.A1,
        sinceState: newState,
      });
      expect(changes.destroyed).toEqual([entry(created, 'k').id]);
      expect(await all()).toHaveLength(1);
    });

    it('3.6.2: a method that the type leaves out is unknown', async () => {
      const args: JsonMap = { fromAccountId: suite.A1, accountId: suite.A2, create: {} };
      expect(await suite.client.call('Crate/copy', args)).toEqual(err('unknownMethod'));
    });
  });

  describe('Gadget/rebuild, a method of the team’s own', () => {
    it('writes through the engine; its arguments are checked', async () => {
      const { created } = await suite.client.set('Gadget', {
        accountId: suite.A1,
        create: { k: { title: 'r', rank: 7 } },
      });
      const { id } = entry(created, 'k');
      const sinceState = await suite.state(suite.A1);
      expect(await suite.client.ok('Gadget/rebuild', { accountId: suite.A1, id })).toEqual({
        accountId: suite.A1,
        rebuilt: true,
      });
      const changes = await suite.client.changes('Gadget', { accountId: suite.A1, sinceState });
      expect(changes.updated).toEqual([id]);
      for (const wrong of [{ id: 5 }, { id: null }, {}, { id, more: 1 }]) {
        expect(
          await suite.client.call('Gadget/rebuild', { accountId: suite.A1, ...wrong }),
        ).toEqual(err('invalidArguments'));
      }
      const { AR, unknownAccount } = suite.fixtures();
      expect(await suite.client.call('Gadget/rebuild', { accountId: AR, id })).toEqual(
        err('accountReadOnly'),
      );
      expect(await suite.client.call('Gadget/rebuild', { accountId: unknownAccount, id })).toEqual(
        err('accountNotFound'),
      );
    });
  });

  it('2: the session tells what the descriptor says', async () => {
    const session = await suite.client.session();
    const capabilities = session['capabilities'] as JsonMap;
    expect(capabilities[suite.profile.capability]).toMatchObject({ madeOf: ['brass', 'steel'] });
  });
}
