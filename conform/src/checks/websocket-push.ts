import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { StreamError } from '../client/no-answer.js';
import type { Socket } from '../client/socket.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';
import { findAnother, listStates, listTypes, makeChange, readState } from './awaited-states.js';
import { readCapability } from './websocket.js';
import { buildEcho, withSocket } from './websocket-talk.js';

/** RFC 8887 4.3.5: push over a WebSocket, from when it is enabled. */

/** ms that a right state may come behind a wrong one. */
const SOON = 3000;

const isChange = (message: JsonMap): boolean => message['@type'] === 'StateChange';

/** A socket that asked for push. */
class Pushed {
  readonly socket: Socket;
  readonly #taken: JsonMap[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
  }

  enable(dataTypes: Json, pushState?: string): void {
    const state = pushState === undefined ? {} : { pushState };
    this.socket.send({ '@type': 'WebSocketPushEnable', dataTypes, ...state });
  }

  disable(): void {
    this.socket.send({ '@type': 'WebSocketPushDisable' });
  }

  /**
   * Waits until the server has done all that was sent before: an echo is answered behind it. Fails
   * where a RequestError came.
   */
  async settle(): Promise<void> {
    this.socket.send(buildEcho('settled'));
    const answer = await this.socket.take((one) => !isChange(one));
    expect(answer).toMatchObject({ '@type': 'Response', requestId: 'settled' });
  }

  /** Waits for the StateChange that tells this state of a type. Passes over all others. */
  async awaitState({ A1, type }: Subject, state: string): Promise<JsonMap> {
    const states: unknown[] = [];
    for (;;) {
      const patience = states.length === 0 ? [] : [SOON];
      const next = await this.socket.take(isChange, ...patience).catch((error: unknown) => {
        if (error instanceof StreamError && states.length > 0) return null;
        throw error;
      });
      if (next === null) break;
      this.#taken.push(next);
      const told = readState(next, A1, type);
      if (told === state) return next;
      if (told !== undefined) states.push(told);
    }
    expect({ type, state: states.at(-1) }).toEqual({ type, state });
    throw new Error('A state is equal to one that it is not equal to.');
  }

  /** Returns each StateChange that came, whether or not somebody waited for it. */
  get changes(): readonly JsonMap[] {
    return [...this.#taken, ...this.socket.messages.filter(isChange)];
  }

  /** Returns the states of a type that were told. */
  listStates({ A1, type }: Subject): readonly unknown[] {
    return listStates(this.#maps, A1, type);
  }

  /** Returns the names of the types that were told of. */
  get types(): readonly string[] {
    return listTypes(this.#maps);
  }

  get #maps(): readonly JsonMap[] {
    return this.changes.map(({ changed }) => asMap(changed));
  }
}

/** Opens a socket and asks for push of some types. */
const withPush = (
  subject: Subject,
  enabled: { readonly dataTypes: Json; readonly pushState?: string },
  work: (pushed: Pushed) => Promise<void>,
): Promise<void> =>
  withSocket(subject.server, async (socket) => {
    const pushed = new Pushed(socket);
    pushed.enable(enabled.dataTypes, enabled.pushState);
    await pushed.settle();
    await work(pushed);
  });

/** Makes a change that another socket is told of. Returns the state once it was. */
async function makeWitnessed(subject: Subject): Promise<string> {
  let state = '';
  await withPush(subject, { dataTypes: [subject.type] }, async (witness) => {
    state = await makeChange(subject);
    await witness.awaitState(subject, state);
  });
  return state;
}

/** Returns the pushState that came with a change. Throws NotApplicable where there is none. */
async function seeChange(subject: Subject): Promise<string> {
  let pushState: Json | undefined;
  await withPush(subject, { dataTypes: [subject.type] }, async (pushed) => {
    ({ pushState } = await pushed.awaitState(subject, await makeChange(subject)));
  });
  if (typeof pushState === 'string') return pushState;
  throw new NotApplicable('The server tells no pushState, which RFC 8887 4.3.5.1 leaves to it.');
}

const enabledChecks = typeChecks(
  '4.3.5',
  { methods: ['get', 'set'] },
  [
    {
      id: 'ws-push-state',
      level: 'must',
      rule:
        'After WebSocketPushEnable a change is told as a StateChange with the account, the type ' +
        'and the state that /get tells.',
      run: (subject) =>
        withPush(subject, { dataTypes: null }, async (pushed) => {
          const state = await makeChange(subject);
          await pushed.awaitState(subject, state);
          expect(await subject.readState(subject.A1)).toBe(state);
        }),
    },
    {
      id: 'ws-push-types',
      level: 'must',
      rule: 'Only the types in dataTypes are told of.',
      applies: ({ world }) => (world.size > 1 ? null : 'No other type is described.'),
      run: async (subject) => {
        const other = findAnother(subject);
        try {
          await withPush(subject, { dataTypes: [subject.type] }, async (pushed) => {
            await makeWitnessed(other);
            await pushed.awaitState(subject, await makeChange(subject));
            expect(pushed.types).toEqual([subject.type]);
          });
        } finally {
          await other.tidy();
        }
      },
    },
    {
      id: 'ws-push-none',
      level: 'must',
      rule: 'Of an empty list of types nothing is told.',
      run: (subject) =>
        withPush(subject, { dataTypes: [] }, async (pushed) => {
          await makeWitnessed(subject);
          await pushed.settle();
          expect(pushed.changes).toEqual([]);
        }),
    },
    {
      id: 'ws-push-disable',
      level: 'must',
      needs: { room: 2 },
      rule: 'After WebSocketPushDisable nothing is told, and a further enable begins anew.',
      run: (subject) =>
        withPush(subject, { dataTypes: null }, async (pushed) => {
          pushed.disable();
          pushed.disable();
          await pushed.settle();
          const before = pushed.changes.length;
          const silent = await makeWitnessed(subject);
          await pushed.settle();
          expect(pushed.changes.slice(before)).toEqual([]);
          pushed.enable([subject.type]);
          await pushed.settle();
          const state = await makeChange(subject);
          await pushed.awaitState(subject, state);
          expect(pushed.listStates(subject)).not.toContain(silent);
        }),
    },
    {
      id: 'ws-push-replaced',
      level: 'should',
      needs: { room: 2 },
      rule: 'A second WebSocketPushEnable replaces the types of the first.',
      run: (subject) =>
        withPush(subject, { dataTypes: [] }, async (pushed) => {
          pushed.enable([subject.type]);
          await pushed.settle();
          await pushed.awaitState(subject, await makeChange(subject));
          pushed.enable([]);
          await pushed.settle();
          const silent = await makeWitnessed(subject);
          await pushed.settle();
          expect(pushed.listStates(subject)).not.toContain(silent);
        }),
    },
    {
      id: 'ws-push-missed',
      level: 'should',
      needs: { room: 2 },
      rule:
        'A WebSocketPushEnable with the last pushState is answered at once with what has changed ' +
        'since, and with another pushState.',
      run: async (subject) => {
        const pushState = await seeChange(subject);
        const missed = await makeChange(subject);
        await withPush(subject, { dataTypes: [subject.type], pushState }, async (pushed) => {
          const change = await pushed.awaitState(subject, missed);
          expect(change['pushState']).not.toBe(pushState);
        });
      },
    },
    {
      id: 'ws-push-missed-nothing',
      level: 'should',
      needs: { room: 2 },
      rule: 'If nothing has changed since that pushState, only the next change is told.',
      run: async (subject) => {
        const pushState = await seeChange(subject);
        await withPush(subject, { dataTypes: [subject.type], pushState }, async (pushed) => {
          const state = await makeChange(subject);
          await pushed.awaitState(subject, state);
          expect(pushed.listStates(subject)).toEqual([state]);
        });
      },
    },
    {
      id: 'ws-push-unknown-state',
      level: 'must',
      rule: 'A pushState that the server never gave is no error: the next change is told.',
      run: (subject) =>
        withPush(subject, { dataTypes: [subject.type], pushState: 'x-nobody' }, async (pushed) => {
          await pushed.awaitState(subject, await makeChange(subject));
        }),
    },
  ],
  'RFC 8887',
);

const unaskedChecks = typeChecks(
  '4.3.5',
  { methods: ['set'] },
  [
    {
      id: 'ws-nothing-unasked',
      level: 'must',
      rule: 'No StateChange comes over a connection that has not asked for push, whatever changes.',
      run: (subject) =>
        withSocket(subject.server, async (socket) => {
          const { type, profile, A1: accountId } = subject;
          await subject.prepare(accountId);
          const args = { accountId, create: { k: subject.create('unasked', accountId) } };
          const request = {
            ...buildEcho('set'),
            using: [CORE, profile.capability],
            methodCalls: [[`${type}/set`, args, 's'] as unknown as Json],
          };
          const answer = await socket.ask(request);
          expect(answer).toMatchObject({ '@type': 'Response', requestId: 'set' });
          for (const requestId of ['r1', 'r2'])
            expect(await socket.ask(buildEcho(requestId))).toMatchObject({ requestId });
          expect(socket.messages).toEqual([]);
        }),
    },
  ],
  'RFC 8887',
);

/** Returns why push over a WebSocket can't be checked; null where it can. */
const findObstacle = ({ server }: Subject): string | null =>
  readCapability(server.user.session).supportsPush === true ? null : 'supportsPush is not true.';

export const socketPushChecks = Object.freeze([
  ...unaskedChecks,
  ...enabledChecks.map((check) => ({
    ...check,
    applies: (subject: Subject) => check.applies?.(subject) ?? findObstacle(subject),
  })),
]);
