import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { EventStream } from '../client/events.js';
import { asMap, type JsonMap } from '../client/json.js';
import { StreamError } from '../client/no-answer.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';
import { withEvents } from './event-source.js';

/** RFC 8620 7.1 and 7.3: what an event source tells of changes. */

/**
 * Creates an object of the type in an account. Returns the state afterwards. Throws UnexpectedError
 * where the create fails.
 */
async function makeChange(subject: Subject, accountId = subject.A1): Promise<string> {
  const { type, profile, server } = subject;
  await subject.prepare(accountId);
  const client = server.findWriter(accountId).buildClient(CORE, profile.capability);
  const create = { k: subject.create('event', accountId) };
  const { created, notCreated, newState } = await client.set(type, { accountId, create });
  if (created?.['k'] === undefined)
    throw new UnexpectedError(`No create: ${JSON.stringify(notCreated)}`);
  return newState;
}

/** Returns the state of a type in a state event. */
export const readState = (data: unknown, accountId: string, type: string): unknown =>
  asMap(asMap(asMap(data as never)['changed'])[accountId])[type];

/** Returns the changes in each state event of a stream, by account. */
const readChanges = ({ events }: EventStream): readonly JsonMap[] =>
  events.filter(({ event }) => event === 'state').map(({ data }) => asMap(data['changed']));

/**
 * Waits for the state event that tells this state of a type, and returns its data. Passes over
 * events of other types, accounts and earlier states (RFC 8620 7.1).
 */
async function awaitState(
  stream: EventStream,
  accountId: string,
  type: string,
  state: unknown,
): Promise<JsonMap> {
  const states: unknown[] = [];
  for (;;) {
    // The right state may come behind a wrong one: an earlier change may be told late.
    const next = stream.takeNext('state', ...(states.length === 0 ? [] : [stream.soon]));
    const event = await next.catch((error: unknown) => {
      if (error instanceof StreamError && states.length > 0) return null;
      throw error;
    });
    if (event === null) break;
    const told = readState(event.data, accountId, type);
    if (told === state) return event.data;
    if (told !== undefined) states.push(told);
  }
  expect({ type, state: states.at(-1) }).toEqual({ type, state });
  throw new Error('A state is equal to one that it is not equal to.');
}

/**
 * Returns another type whose objects the same account can have without references. Throws
 * NotApplicable where there is none.
 */
function findAnother(subject: Subject): Subject {
  const { server, A1, type } = subject;
  for (const name of subject.world.keys()) {
    if (name === type) continue;
    const other = subject.selectType(name);
    const { singleton, capability, given } = other.profile;
    const refers = given.some(({ references, blobs }) => references.length > 0 || blobs.length > 0);
    if (singleton || refers || !other.has('set', 'get')) continue;
    if (server.listWritable(capability).includes(A1)) return other;
  }
  throw new NotApplicable('No other type is known whose objects the account could have.');
}

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
      const listMade = () => server.fence.listMade(other.type, A1);
      // The objects of this type may refer to some of the other that are there already.
      const before = new Set(listMade());
      try {
        await withEvents(server, { types: type }, async (mine) =>
          withEvents(server, { types: `${other.type},${type}` }, async (both) => {
            await awaitState(both, A1, other.type, await makeChange(other));
            const second = await makeChange(subject);
            await awaitState(both, A1, type, second);
            await awaitState(mine, A1, type, second);
            const names = readChanges(mine).flatMap((accounts) =>
              Object.values(accounts).flatMap((types) => Object.keys(asMap(types))),
            );
            expect([...new Set(names)]).toEqual([type]);
          }),
        );
      } finally {
        const destroy = listMade().filter((id) => !before.has(id));
        await server.recorder.runAside(() => other.set({ destroy }));
      }
    },
  },
  {
    id: 'events-ids',
    level: 'should',
    needs: { room: 2 },
    rule: 'Each state event has an id, and another one after another change.',
    run: (subject) =>
      withEvents(subject.server, {}, async (stream) => {
        const ids = new Set<unknown>();
        for (let n = 0; n < 2; n += 1) {
          await makeChange(subject);
          await stream.takeState();
          ids.add(await stream.takeId());
        }
        expect(ids.size).toBe(2);
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
    rule: 'Changes of every account that the user can reach are told, and of no other.',
    /**
     * Writes to accounts out of reach first. Their events would come before those of the accounts
     * in reach, which are waited for.
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
            const state = await makeChange(subject, accountId);
            await awaitState(stream, accountId, type, state);
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
