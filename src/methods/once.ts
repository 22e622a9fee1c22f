import { createHash } from 'node:crypto';
import type { MethodDefinition } from '../capability/capability-definition.js';
import { canonicalJsonSteps } from '../protocol/canonical-json.js';
import { MethodError } from '../protocol/errors.js';
import { parseJson } from '../protocol/ijson.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import type { InvocationText } from '../protocol/response.js';
import type { Steps } from '../runtime/paused-work.js';
import { storeWith } from '../store/delegate.js';
import type { KeptAnswer, Snapshot, Store, Transaction } from '../store/port.js';
import { declaredMembers } from './type-index.js';

/**
 * Calls with a key (docs/reference/protocol.md#once): the answer of a call is kept in the
 * transaction of its write. If the call comes again, it answers that and writes nothing.
 */

/** Where the process takes keys, and for how long it keeps them. */
export interface OnceSettings {
  /** The capability that a request must name in `using`. */
  readonly capability: string;
  /** ONCE_KEEP, ms. */
  readonly keep: number;
}

const ARGUMENT = 'onceKey';
const MAX_KEY = 128;
/** Octets of an answer that is kept; a call with a larger one is refused. */
const MAX_ANSWER = 1_000_000;

/** Characters of arguments that are hashed at once. */
const PIECE = 65_536;

/** A call that follows from another one: RFC 8620 5.4, onSuccessDestroyOriginal. */
export interface FollowUp {
  readonly name: string;
  readonly args: JsonObject;
}

/** The answer of a call when it was made first. */
export interface EarlierAnswer {
  readonly response: JsonObject;
  readonly createdIds: readonly (readonly [creationId: string, id: string])[];
  readonly followUps: readonly FollowUp[];
}

/** An answer, with its text as it was sent. */
export interface FirstAnswer extends Omit<EarlierAnswer, 'response' | 'createdIds'> {
  readonly text: InvocationText;
  readonly octets: number;
  readonly createdIds: Iterable<readonly [creationId: string, id: string]>;
}

/** Thrown out of a write whose call was made before: nothing was written. */
export class AnsweredBeforeError extends Error {
  override readonly name = 'AnsweredBeforeError';
  readonly answer: EarlierAnswer;

  constructor(answer: EarlierAnswer) {
    super('The call was made before.');
    this.answer = answer;
  }
}

/** The arguments of a call, and apart from them its key. */
export interface KeyedArguments {
  /** The client's key; behind it the calls that this one follows from. */
  readonly key: readonly (string | number)[];
  readonly args: JsonObject;
}

/**
 * Takes the key out of a call's arguments, before result references are replaced. Returns null for
 * a call without one, and for a method that takes none.
 */
export function takeKey(method: MethodDefinition, args: JsonObject): KeyedArguments | null {
  if (method.account !== 'write' || KEYLESS_METHODS.has(method.body)) return null;
  const { object, doubled } = declaredMembers(args, KEY, method.acceptSnakeCase);
  if (Object.hasOwn(object, `#${ARGUMENT}`)) refuseKey('can not be a result reference');
  if (!Object.hasOwn(object, ARGUMENT)) return null;
  if (doubled.length > 0) refuseKey('is given twice, in both spellings');
  const rest = emptyObject();
  for (const name in object) if (name !== ARGUMENT) rest[name] = object[name] ?? null;
  return { key: [requireKey(object[ARGUMENT])], args: rest };
}

/** Methods that write, but to an account that keeps no answers. */
const KEYLESS_METHODS: ReadonlySet<MethodDefinition['body']> = new Set([
  'AdminUser/set',
  'AdminAccount/set',
  'AdminGrant/set',
  'AdminToken/set',
] as const);

const KEY: ReadonlySet<string> = new Set([ARGUMENT]);

/** Returns true for a key that a client may choose. Lengths count code points. */
export function isKey(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * MAX_KEY) return false;
  return value.length <= MAX_KEY || [...value].length <= MAX_KEY;
}

function requireKey(value: JsonValue | undefined): string {
  if (!isKey(value)) refuseKey(`must be a string of 1 to ${MAX_KEY} characters`);
  return value;
}

function refuseKey(why: string): never {
  throw new MethodError('invalidArguments', `"${ARGUMENT}" ${why}.`);
}

/**
 * Returns the hash under which an answer is kept: of the user, the method and the key. A call that
 * follows from another one adds the other's method and account, and its place among those.
 */
export function hashOfKey(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Returns the hash of arguments: equal JSON has equal hashes, whatever the order of members. */
export function* hashArguments(args: JsonObject): Steps<string> {
  const hash = createHash('sha256');
  let text = '';
  yield* canonicalJsonSteps(args, (piece) => {
    text += piece;
    if (text.length < PIECE) return;
    hash.update(text);
    text = '';
  });
  return hash.update(text).digest('base64url');
}

/** The key of one call, with the hash of its arguments. */
export class OnceKey {
  /** Whether the call's answer is kept. */
  isKept = false;
  readonly #hash: string;
  readonly #arguments: string;
  readonly #since: number;

  /** `since`: epoch ms; what was kept before has had its time. */
  constructor(hash: string, argumentsHash: string, since: number) {
    this.#hash = hash;
    this.#arguments = argumentsHash;
    this.#since = since;
  }

  /**
   * Returns what the call has answered, or null if it is new. Throws `invalidArguments` where a
   * call with other arguments had the key.
   */
  async find(snapshot: Pick<Snapshot, 'keptAnswer'>): Promise<EarlierAnswer | null> {
    const kept = await snapshot.keptAnswer(this.#hash, this.#since);
    if (kept === null) return null;
    if (kept.arguments !== this.#arguments) refuseKey('was used for a call with other arguments');
    return answerOf(kept);
  }

  /**
   * Returns the store for the call. A write looks for an earlier answer first: another process may
   * have made the call meanwhile. It throws AnsweredBeforeError once that answer is on disk.
   * Otherwise it keeps the answer that the call has made by the end of the work.
   */
  storeFor(store: Store, answer: () => FirstAnswer | null): Store {
    return storeWith(store, {
      write: async (accountId, options, work) => {
        const result = await store.write(accountId, options, async (transaction) => {
          const earlier = await this.find(transaction);
          if (earlier !== null) return { earlier };
          const value = await work(transaction);
          return { value, isKept: await this.#keep(transaction, answer()) };
        });
        if ('earlier' in result) throw new AnsweredBeforeError(result.earlier);
        this.isKept = result.isKept;
        return result.value;
      },
    });
  }

  async #keep(transaction: Transaction, answer: FirstAnswer | null): Promise<boolean> {
    if (answer === null) return false;
    const { text, octets, createdIds, followUps } = answer;
    if (octets > MAX_ANSWER) {
      const why = `The response has more than ${MAX_ANSWER} octets, which is too much to be kept`;
      throw new MethodError('requestTooLarge', `${why} for "${ARGUMENT}".`);
    }
    const triple = typeof text === 'string' ? text : text.join('');
    const more = [JSON.stringify([...createdIds]), JSON.stringify(followUps)];
    await transaction.keepAnswer(this.#hash, {
      arguments: this.#arguments,
      answer: `[${[triple, ...more].join(',')}]`,
    });
    return true;
  }
}

function answerOf({ answer }: KeptAnswer): EarlierAnswer {
  const [[, response], createdIds, followUps] = parseJson(answer) as unknown as readonly [
    readonly [string, JsonObject, string],
    EarlierAnswer['createdIds'],
    EarlierAnswer['followUps'],
  ];
  return { response, createdIds, followUps };
}
