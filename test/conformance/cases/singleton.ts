import { expect } from 'vitest';
import { at, err, setError, utcDate } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Cases 183 and 296: a type with one object an account, always there, only updated. */
export function singletonCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, defaults, text } = profile;
  const initial = { ...defaults, ...(text === '' ? {} : { [text]: profile.textDefault }) };
  const single = async (accountId: string, ids: readonly string[] | null = null) =>
    suite.client.get(name, { accountId, ids });
  const { defaulted } = profile;

  describe(`${name}: a singleton`, () => {
    it('case 183, 5.1: it is there before it was ever written', async () => {
      const get = { accountId: suite.accountWithout, ids: null };
      expect(await suite.client.call(`${name}/get`, get)).toEqual(
        err('accountNotSupportedByMethod'),
      );
      for (const ids of [null, ['singleton']]) {
        expect(await single(suite.A2, ids)).toEqual({
          accountId: suite.A2,
          state: '0',
          list: [{ id: 'singleton', created: utcDate, updated: utcDate, ...initial }],
          notFound: [],
        });
      }
      const { list, notFound } = await single(suite.A2, ['singleton', 'other']);
      expect([list.length, notFound]).toEqual([1, ['other']]);
    });

    it('case 296, 5.3: neither created nor destroyed', async () => {
      const answer = await suite.set({ create: { k: {}, l: { noSuch: 1 } } });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({ k: setError('singleton'), l: setError('singleton') });
      const destroyed = await suite.set({ destroy: ['singleton'], update: { other: {} } });
      expect(destroyed.destroyed).toBeNull();
      expect(destroyed.notDestroyed).toEqual({ singleton: setError('singleton') });
      expect(destroyed.notUpdated).toEqual({ other: setError('notFound') });
      expect(destroyed.newState).toBe(answer.oldState);
    });

    if (defaulted !== undefined)
      it('5.3: an update is a change of one account; a null restores a default', async () => {
        const { property, default: value, other } = defaulted;
        await suite.update('singleton', { [property]: null });
        const answer = await suite.set({ update: { singleton: { [property]: other } } });
        expect(answer.updated).toEqual({ singleton: suite.updated });
        const changes = await suite.client.changes(name, {
          accountId: suite.A1,
          sinceState: answer.oldState,
        });
        expect([changes.created, changes.updated, changes.destroyed]).toEqual([
          [],
          ['singleton'],
          [],
        ]);
        expect(at((await single(suite.A1)).list, 0)[property]).toEqual(other);
        expect(at((await single(suite.A2)).list, 0)[property]).toEqual(value);
        const { set } = await suite.update('singleton', { [property]: null });
        expect(set).toEqual(expect.objectContaining({ updated: utcDate, [property]: value }));
        expect(await suite.update('singleton', { [property]: value })).toEqual({
          set: null,
          refused: null,
        });
        expect(
          await suite.client.call(`${name}/set`, { accountId: suite.A1, ifInState: 'no' }),
        ).toEqual(err('stateMismatch'));
      });

    it('3.6.2: a method that the type has not is unknown', async () => {
      for (const verb of suite.missing)
        expect(await suite.client.call(`${name}/${verb}`, { accountId: suite.A1 })).toEqual(
          err('unknownMethod'),
        );
    });
  });
}
