import { expect } from 'vitest';
import { err } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section H of cases.md: /changes (RFC 8620 5.2; the case of random writes is in metamorphic.ts). */
export function changesCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const changes = (sinceState: string, more: object = {}) =>
    suite.client.changes(name, { accountId: suite.A1, sinceState, ...more });
  const update = (id: string, value: string) =>
    suite.client.set(name, { accountId: suite.A1, update: { [id]: { [text]: value } } });
  const destroy = (id: string) => suite.client.set(name, { accountId: suite.A1, destroy: [id] });

  describe(`${name}: H. /changes`, () => {
    it('case 186, 5.2: without a change three empty arrays and the same state', async () => {
      const state = await suite.state(suite.A1);
      expect(await changes(state)).toEqual({
        accountId: suite.A1,
        oldState: state,
        newState: state,
        hasMoreChanges: false,
        created: [],
        updated: [],
        destroyed: [],
      });
    });

    it('case 188, 5.2: each kind is reported in its array', async () => {
      const [updated = '', destroyed = ''] = await suite.make(suite.A1, 'a', 'b');
      const state = await suite.state(suite.A1);
      const created = await suite.one(suite.A1);
      await update(updated, 'changed');
      await destroy(destroyed);
      expect(await changes(state)).toEqual({
        accountId: suite.A1,
        oldState: state,
        newState: await suite.state(suite.A1),
        hasMoreChanges: false,
        created: [created],
        updated: [updated],
        destroyed: [destroyed],
      });
    });

    it('cases 190 and 191, 5.2: several changes of one record are one', async () => {
      const [kept = ''] = await suite.make(suite.A1, 'a');
      const state = await suite.state(suite.A1);
      const gone = await suite.one(suite.A1);
      const updated = await suite.one(suite.A1);
      await update(updated, 'created, then updated');
      await update(kept, 'updated');
      await destroy(kept);
      await update(gone, 'updated');
      await destroy(gone);
      const answer = await changes(state);
      expect([answer.created, answer.updated, answer.destroyed]).toEqual([[updated], [], [kept]]);
    });

    it('case 193, decision 8: an update that changes nothing is no change', async () => {
      const id = await suite.one(suite.A1, 'same');
      const state = await suite.state(suite.A1);
      await update(id, 'same');
      expect(await suite.state(suite.A1)).toBe(state);
      expect((await changes(state)).updated).toEqual([]);
    });

    it('case 195, 5.2: maxChanges is a positive integer', async () => {
      const state = await suite.state(suite.A1);
      for (const maxChanges of [0, -1, 1.5, '3', true, []]) {
        expect(
          await suite.client.call(`${name}/changes`, {
            accountId: suite.A1,
            sinceState: state,
            maxChanges,
          }),
        ).toEqual(err('invalidArguments', 'maxChanges'));
      }
      expect(await changes(state, { maxChanges: null })).toEqual(await changes(state));
      expect(await changes(state, { maxChanges: 1 })).toEqual(await changes(state));
      expect(await changes(state, { maxChanges: 2 ** 53 - 1 })).toEqual(await changes(state));
    });

    it('case 196, 5.2: pages of at most maxChanges ids reach the current state', async () => {
      const start = await suite.state(suite.A1);
      const ids = await suite.make(suite.A1, ...'abcdefg');
      const seen: string[] = [];
      let state = start;
      for (let page = 0; page < 10; page += 1) {
        const answer = await changes(state, { maxChanges: 3 });
        expect(answer.oldState).toBe(state);
        const found = [...answer.created, ...answer.updated, ...answer.destroyed];
        expect(found.length).toBeLessThanOrEqual(3);
        seen.push(...found);
        state = answer.newState;
        if (!answer.hasMoreChanges) break;
      }
      expect(state).toBe(await suite.state(suite.A1));
      expect([...seen].sort()).toEqual([...ids].sort());
    });

    it('case 198, 5.2: exactly as many changes as maxChanges leave no more', async () => {
      const start = await suite.state(suite.A1);
      const ids = await suite.make(suite.A1, 'a', 'b', 'c');
      const answer = await changes(start, { maxChanges: 3 });
      expect(answer.hasMoreChanges).toBe(false);
      expect(answer.created).toEqual(ids);
      expect((await changes(start, { maxChanges: 2 })).hasMoreChanges).toBe(true);
    });

    it('5.2: several changes of one record make room for others, never too much', async () => {
      const [first = ''] = await suite.make(suite.A1, 'a');
      const start = await suite.state(suite.A1);
      for (const value of ['b', 'c', 'd']) await update(first, value);
      const others = await suite.make(suite.A1, 'x', 'y', 'z');
      await update(first, 'e');
      for (const maxChanges of [1, 2, 3, 4]) {
        const seen = new Set<string>();
        let state = start;
        for (let more = true; more; ) {
          const page = await changes(state, { maxChanges });
          const ids = [...page.created, ...page.updated, ...page.destroyed];
          expect(ids.length).toBeLessThanOrEqual(maxChanges);
          for (const id of ids) seen.add(id);
          expect(page.newState).not.toBe(state);
          state = page.newState;
          more = page.hasMoreChanges;
        }
        expect([...seen].sort()).toEqual([first, ...others].sort());
      }
    });

    it('cases 200 and 201, 5.2: a write between two pages is picked up, in a possible order', async () => {
      const start = await suite.state(suite.A1);
      const [first = '', second = ''] = await suite.make(suite.A1, 'a', 'b', 'c', 'd');
      const page = await changes(start, { maxChanges: 2 });
      await update(first, 'changed');
      await destroy(second);
      const order: string[] = [];
      let state = start;
      for (let more = true; more; ) {
        const answer = await changes(state, { maxChanges: 2 });
        for (const kind of ['created', 'updated', 'destroyed'] as const) {
          for (const id of answer[kind]) order.push(`${kind} ${id}`);
        }
        state = answer.newState;
        more = answer.hasMoreChanges;
      }
      expect(state).toBe(await suite.state(suite.A1));
      expect(order.indexOf(`destroyed ${first}`)).toBe(-1);
      const created = order.indexOf(`created ${first}`);
      expect(created).toBeGreaterThanOrEqual(0);
      const updated = order.indexOf(`updated ${first}`);
      if (updated !== -1) expect(updated).toBeGreaterThan(created);
      const secondCreated = order.lastIndexOf(`created ${second}`);
      const secondDestroyed = order.indexOf(`destroyed ${second}`);
      if (secondCreated !== -1) expect(secondDestroyed).toBeGreaterThan(secondCreated);

      const rest = await changes(page.newState);
      expect(rest.newState).toBe(state);
      expect(rest.updated).toContain(first);
      expect(rest.destroyed).toContain(second);
    });

    suite.needsRoom(48)(
      'case 596, 3.10: parallel creates have states of their own, /changes lists them all',
      async () => {
        const start = await suite.state(suite.A1);
        const states: number[] = [];
        const ids: string[] = [];
        for (let round = 0; round < 6; round += 1) {
          const answers = await Promise.all(
            Array.from({ length: 8 }, () =>
              suite.client.set(name, {
                accountId: suite.A1,
                create: { k: suite.create('parallel') },
              }),
            ),
          );
          for (const { oldState, newState, created } of answers) {
            expect(Number(newState)).toBe(Number(oldState) + 1);
            states.push(Number(newState));
            ids.push(...Object.values(created ?? {}).map(({ id }) => id));
          }
        }
        const first = Number(start) + 1;
        expect(states.sort((a, b) => a - b)).toEqual(states.map((_, index) => first + index));
        const answer = await changes(start);
        expect([...answer.created].sort()).toEqual(ids.sort());
        expect(answer.newState).toBe(String(Number(start) + 48));
      },
    );

    it('case 205, 5.2: a state that was never issued is cannotCalculateChanges', async () => {
      const state = await suite.state(suite.A1);
      const never = [
        String(Number(state) + 1),
        '999999999999',
        '99999999999999999999999',
        '',
        '-1',
        '+1',
        '01',
        '00',
        '1.0',
        '1e0',
        ' 0',
        '0 ',
        'abc',
        'NaN',
        'Infinity',
        '0x1',
        '١',
      ];
      for (const sinceState of never) {
        expect(
          await suite.client.call(`${name}/changes`, { accountId: suite.A1, sinceState }),
        ).toEqual(err('cannotCalculateChanges'));
      }
    });

    it('case 206, 5.2: sinceState is required', async () => {
      for (const args of [{}, { sinceState: null }]) {
        expect(
          await suite.client.call(`${name}/changes`, { accountId: suite.A1, ...args }),
        ).toEqual(err('invalidArguments', 'sinceState'));
      }
    });

    it('case 208, 5.2: the state of the untouched account stays a valid sinceState', async () => {
      const answer = await changes('0');
      expect(answer.oldState).toBe('0');
      const existing = (await suite.all(suite.A1)).map(({ id }) => id);
      if (!answer.hasMoreChanges) expect([...answer.created].sort()).toEqual(existing.sort());
    });
  });
}
