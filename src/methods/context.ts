import type { AccountAccess, Principal } from '../accounts/principal.js';
import type { BlobStore } from '../blobs/port.js';
import type { MethodContext } from '../capability/context.js';
import type { DataTypeDefinition, MethodDefinition } from '../capability/definition.js';
import type { IdGenerator } from '../protocol/ids.js';
import type { Slices } from '../protocol/slices.js';
import type { Store } from '../store/port.js';
import type { Foresight } from './foresight.js';
import type { HookServices } from './hooks/port.js';
import type { HookScope } from './hooks/scope.js';
import type { Registry } from './registry.js';
import type { HashTurns } from './set/hash-turns.js';
import type { SetHooks } from './set/hooks.js';

/** The limits that methods enforce, as the session advertises them (octets, objects, ids). */
export interface MethodLimits {
  readonly maxObjectsInGet: number;
  readonly maxObjectsInSet: number;
  readonly queryMaxLimit: number;
  readonly queryChangesMax: number;
  readonly maxSizeUpload: number;
  /** Milliseconds; a state older than this is refused. */
  readonly changesKeep: number;
  /** MAX_CASCADE: objects that may go or change with one that is destroyed; 10,000 if left out. */
  readonly maxCascade?: number;
}

/** What every method call needs of the process: made once in main. */
export interface Services {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly registry: Registry;
  readonly ids: IdGenerator;
  readonly limits: MethodLimits;
  /** What hooks run with; a registry without hooks needs none. */
  readonly hooks?: HookServices;
  /** Where hooks join /set and /copy. */
  readonly setHooks?: SetHooks;
  /** Turns of what hashes secrets. */
  readonly hashing: HashTurns;
  /** 32 octets: encrypts the secrets that descriptors want stored so. */
  readonly secretKey?: Uint8Array;
  /** Epoch ms; the system's clock where it is left out. */
  readonly now?: () => number;
}

/** The memory of the process that answers may take. */
export interface AnswerRoom {
  /** Takes so many octets. Returns false, and takes none, if there is no room for them. */
  take(octets: number): boolean;
  giveBack(octets: number): void;
}

/** What lives as long as one request: shared by its calls. */
export interface RequestScope {
  readonly principal: Principal;
  /** Distinct capabilities of `using`. */
  readonly using: ReadonlySet<string>;
  /** Its arguments may be so large that what is done with them is done in slices. */
  isLong: boolean;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  /** Creation id to id, growing as calls create (RFC 8620 3.3). */
  readonly createdIds: Map<string, string>;
  /** Octets of response text that are still to be had (MAX_SIZE_RESPONSE). */
  remainingOctets: number;
  /** Room for the large answers of its calls; without it they are not counted. */
  readonly room?: AnswerRoom | undefined;
  /** What the calls that follow at once want of this one, or what it has found for them. */
  foresight?: Foresight | null;
}

/** Creation ids and the ids of what was created; in order, a later one counts. */
export type CreatedIds = Iterable<readonly [creationId: string, id: string]>;

/** One method call: what src/methods implementations get. */
export interface CallContext extends MethodContext {
  readonly services: Services;
  readonly request: RequestScope;
  /** The method that is called. */
  readonly method: MethodDefinition;
  /**
   * The account of `accountId`, checked for reach, capability and mode. Undefined for account use
   * `none`.
   */
  readonly account: AccountAccess | undefined;
  /** The hooks of this call. */
  readonly hooks: HookScope;
  /** A `tx.set` of a hook: it may write what clients may not, and its response is not sent. */
  readonly isInternal: boolean;
  /** `performance.now()` after which the call is given up. */
  readonly deadline: number;
  /**
   * The promise that a handler returns for a response. Where that is there already, dispatch waits
   * for nothing.
   */
  promised<Response extends object>(response: Response | Promise<Response>): Promise<Response>;
  /**
   * Serialises the call's response and takes its octets from the request's budget and the
   * process's; throws `MethodError('requestTooLarge')` or `('serverUnavailable')` where they don't
   * fit. A method that writes calls it inside its transaction, so that an answer that can't be
   * given undoes the write; for all others dispatch does it. A second call takes the place of the
   * first: a transaction may be run again. `createdIds` are what the call adds to the request's map
   * once it has succeeded (RFC 8620 3.3). `json` is the response's JSON, where the method has it.
   */
  admit(response: object, createdIds?: CreatedIds, json?: string): void;
  /** The same for a response that may take long to serialise. */
  admitInSlices(response: object, createdIds: CreatedIds, slices: Slices): Promise<void>;
  /**
   * Has dispatch run a further call right after this one, with the same call id (RFC 8620 5.4:
   * onSuccessDestroyOriginal).
   */
  followWith(methodName: string, args: object): void;
  /**
   * An account of the request's user other than `accountId`'s, or undefined where it is out of
   * reach.
   */
  otherAccount(accountId: string): AccountAccess | undefined;
}

/** The signature of a method that src/methods implements by name. */
// biome-ignore lint/suspicious/noExplicitAny: a table of functions with argument types of their own
export type BuiltInMethod = (args: any, context: CallContext) => object | Promise<object>;

/**
 * The signature of a generic standard method; `sent` is what the client sent where a hook replaced
 * it.
 */
export type StandardMethod<Arguments, Response> = (
  type: DataTypeDefinition,
  args: Arguments,
  context: CallContext,
  sent?: Arguments,
) => Promise<Response>;
