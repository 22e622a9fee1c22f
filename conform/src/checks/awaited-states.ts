import { expect } from 'expect';
import type { EventStream } from '../client/events.js';
import { asMap, type JsonMap } from '../client/json.js';
import { StreamError } from '../client/no-answer.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';

/** RFC 8620 7.1: changes, and what is told of them over whichever channel. */

/**
 * Creates an object of the type in an account. Returns the state afterwards. Throws UnexpectedError
 * where the create fails.
 */
export async function makeChange(subject: Subject, accountId = subject.A1): Promise<string> {
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
export const readChanges = ({ events }: EventStream): readonly JsonMap[] =>
  events.filter(({ event }) => event === 'state').map(({ data }) => asMap(data['changed']));

/** Returns the names of all types that changes tell of, each once. */
export const listTypes = (changes: readonly JsonMap[]): readonly string[] => [
  ...new Set(
    changes.flatMap((accounts) =>
      Object.values(accounts).flatMap((one) => Object.keys(asMap(one))),
    ),
  ),
];

/** Returns the states of a type that changes tell of, in their order. */
export const listStates = (
  changes: readonly JsonMap[],
  accountId: string,
  type: string,
): readonly unknown[] =>
  changes.flatMap((accounts) => {
    const state = asMap(accounts[accountId])[type];
    return state === undefined ? [] : [state];
  });

/**
 * Waits for the state event that tells this state of a type, and returns its data. Passes over
 * events of other types, accounts and earlier states (RFC 8620 7.1).
 */
export async function awaitState(
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
export function findAnother(subject: Subject): Subject {
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
