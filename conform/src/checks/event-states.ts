import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Subject } from '../subject/subject.js';
import {
  awaitState,
  findAnother,
  listTypes,
  makeChange,
  readChanges,
  readState,
} from './awaited-states.js';
import { withEvents } from './event-source.js';

/** RFC 8620 7.1 and 7.3: what an event source tells of changes. */

export const eventTypeChecks = typeChecks('7.3', { methods: ['get', 'set'] }, [
  {
    id: 'events-state',
    level: 'must',
    section: '7.1',
    rule:
      'A change is told as an event `state` whose data is a StateChange: its account, type and ' +
      'new state, which is the one that /get tells.',
    run: async (subject) => {
      const { A1, type } = subject;
      await withEvents(subject.server, {}, async (stream) => {
        const state = await makeChange(subject);
        const data = await awaitState(stream, A1, type, state);
        expect(data['@type']).toBe('StateChange');
        expect(await subject.readState(A1)).toBe(state);
      });
    },
  },
  {
    id: 'events-stay-open',
    level: 'must',
    needs: { room: 3 },
    rule: 'With closeafter=no the stream goes on after a change and tells the next one.',
    run: async (subject) => {
      const { A1, type } = subject;
      await withEvents(subject.server, { types: type }, async (stream) => {
        for (let n = 0; n < 3; n += 1) {
          const state = await makeChange(subject);
          await awaitState(stream, A1, type, state);
        }
        expect(stream.isOpen).toBe(true);
      });
    },
  },
  {
    id: 'events-close-after-state',
    level: 'must',
    needs: { room: 2 },
    rule: 'With closeafter=state the response ends after one state event.',
    run: (subject) =>
      withEvents(subject.server, { closeafter: 'state' }, async (stream) => {
        await makeChange(subject);
        await stream.takeState();
        await makeChange(subject);
        await stream.awaitEnd();
        expect(stream.events.filter(({ event }) => event === 'state')).toHaveLength(1);
      }),
  },
  {
    id: 'events-types',
    level: 'must',
    rule: 'Only the types that were asked for are told, by name and with no other beside them.',
    applies: ({ world }) => (world.size > 1 ? null : 'No other type is described.'),
    /**
     * Opens two streams with different types. The second change comes over both, so the first
     * stream had time to tell too much.
     */
    run: async (subject) => {
      const { A1, type, server } = subject;
      const other = findAnother(subject);
      try {
        await withEvents(server, { types: type }, async (mine) =>
          withEvents(server, { types: `${other.type},${type}` }, async (both) => {
            await awaitState(both, A1, other.type, await makeChange(other));
            const second = await makeChange(subject);
            await awaitState(both, A1, type, second);
            await awaitState(mine, A1, type, second);
            expect(listTypes(readChanges(mine))).toEqual([type]);
          }),
        );
      } finally {
        await other.tidy();
      }
    },
  },
  {
    id: 'events-ids',
    level: 'should',
    needs: { room: 3 },
    rule:
      'Each state event sets an id, or an id follows at once; it is another one after each ' +
      'change.',
    run: (subject) =>
      withEvents(subject.server, { types: subject.type }, async (stream) => {
        const ids: unknown[] = [];
        for (let n = 0; n < 3; n += 1) {
          await awaitState(stream, subject.A1, subject.type, await makeChange(subject));
          ids.push(await stream.takeId());
        }
        expect([ids, new Set(ids).size]).toEqual([ids, ids.length]);
      }),
  },
  {
    id: 'events-ping-zero',
    level: 'must',
    rule: 'With ping=0 there are no pings, neither when the stream opens nor with a change.',
    run: (subject) =>
      withEvents(subject.server, { ping: '0' }, async (stream) => {
        await makeChange(subject);
        await stream.takeState();
        expect(stream.events.map(({ event }) => event)).not.toContain('ping');
      }),
  },
  {
    id: 'events-nothing-changed',
    level: 'must',
    section: '7.1',
    rule: 'A /set that changes nothing (another state, no object that could be made) is not told.',
    /**
     * Sends three calls that change nothing and then one that does. Waiting for the last event
     * shows that the others had none.
     */
    run: async (subject) => {
      const { A1: accountId, type, client } = subject;
      await withEvents(subject.server, { types: type }, async (stream) => {
        const create = { k: subject.create('never', accountId) };
        const ifInState = `${await subject.readState(accountId)}x`;
        await client.call(`${type}/set`, { accountId, ifInState, create });
        await client.call(`${type}/set`, { accountId, create: { k: subject.unfit } });
        await client.call(`${type}/set`, { accountId, destroy: ['x-nobody'] });
        const state = await makeChange(subject);
        await awaitState(stream, accountId, type, state);
        const all = stream.events.map(({ data }) => readState(data, accountId, type));
        expect(all.filter((told) => told !== undefined)).toEqual([state]);
      });
    },
  },
  {
    id: 'events-accounts',
    level: 'must',
    section: '7.1',
    rule: 'Changes that the user sees are told of every account in reach, and of no other.',
    /**
     * Writes to accounts out of reach first. Their events would come before those of the accounts
     * in reach, which are waited for. Another user’s object may be hidden: the state that the user
     * reads tells whether it is.
     */
    run: async (subject) => {
      const { server, type } = subject;
      const { session } = server.user;
      const [inReach, outOfReach] = findAccounts(subject);
      for (const accountId of [...inReach, ...outOfReach]) await subject.prepare(accountId);
      try {
        await withEvents(server, { types: type }, async (stream) => {
          for (const accountId of outOfReach) await makeChange(subject, accountId);
          for (const accountId of inReach) {
            const before = await subject.readState(accountId);
            await makeChange(subject, accountId);
            const state = await subject.readState(accountId);
            if (state !== before) await awaitState(stream, accountId, type, state);
          }
          const told = readChanges(stream).flatMap((accounts) => Object.keys(accounts));
          expect(told.filter((id) => !Object.hasOwn(session.accounts, id))).toEqual([]);
        });
      } finally {
        for (const accountId of [...inReach, ...outOfReach]) await subject.clear(accountId);
      }
    },
  },
  {
    id: 'events-copy',
    level: 'must',
    section: '7.1',
    needs: { methods: ['copy'] },
    rule:
      'A copy is told for the account that it goes to, the destroying of the original for its ' +
      'own.',
    run: async (subject) => {
      const { A1, A2, type, client, server } = subject;
      const id = await subject.makeOne(A1, 'copied');
      await subject.prepare(A2);
      await withEvents(server, { types: type }, async (stream) => {
        const { methodResponses } = await client.api([
          [
            `${type}/copy`,
            {
              fromAccountId: A1,
              accountId: A2,
              create: { k: { id, ...subject.readPrepared(A2) } },
              onSuccessDestroyOriginal: true,
            },
            'c',
          ],
        ]);
        const states = methodResponses.map(([, args]) => args['newState']);
        // One event may tell both, or the one of the original come first.
        await awaitState(stream, A2, type, states[0]);
        if (!stream.events.some(({ data }) => readState(data, A1, type) === states[1]))
          await awaitState(stream, A1, type, states[1]);
      });
    },
  },
]);

/**
 * Returns the accounts that a user with known credentials may write to: those in the user's reach,
 * and the others.
 */
function findAccounts({ server, profile }: Subject): readonly [inReach: string[], rest: string[]] {
  const all = [server.user, ...server.others].flatMap(({ session }) =>
    session.listOffering(profile.capability).filter((id) => !session.isReadOnly(id)),
  );
  const { accounts } = server.user.session;
  const known = [...new Set(all)];
  return [
    known.filter((id) => Object.hasOwn(accounts, id)),
    known.filter((id) => !Object.hasOwn(accounts, id)),
  ];
}
