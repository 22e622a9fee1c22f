import type { Directory } from '../accounts/admin-port.js';
import type { AccountAccess, Principal } from '../accounts/principal.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { SetError } from '../protocol/errors.js';
import type { IdGenerator } from '../protocol/ids.js';
import type { JsonObject } from '../protocol/json.js';
import type { InvocationText } from '../protocol/response.js';
import type { AnswerRoom } from '../runtime/budgets.js';
import type { Conductor, Slices } from '../runtime/slices.js';
import type { Store, StoredObject, Transaction } from '../store/port.js';
import type { AskedValues } from './answered-index.js';
import type { RequestReadAhead } from './get/request-read-ahead.js';
import type { FollowUp, OnceSettings } from './once.js';
import type { PrincipalServices } from './principals/principal-services.js';
import type { PushServices } from './push-subscription/services.js';
import type { Registry } from './registry.js';
import type { HashSlots } from './set/hash-slots.js';
import type { UnitOfWork } from './work/unit.js';

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

/** The parts of the process that method calls need; the server makes them once, at its start. */
export interface Services {
  readonly store: Store;
  readonly blobs: BlobStore;
  /** Returns whether a backup runs: no octets may go then. Absent where none can run. */
  readonly blobsHeld?: (() => Promise<boolean>) | undefined;
  readonly registry: Registry;
  readonly ids: IdGenerator;
  readonly limits: MethodLimits;
  /** The logic of hook files; absent where no capability has any. */
  readonly hooks?: Hooks | undefined;
  /** Of everything that takes long. */
  readonly conductor: Conductor;
  /** Turns of what hashes secrets. */
  readonly hashing: HashSlots;
  /** Calls with a key; absent where no call may have one. */
  readonly once?: OnceSettings | undefined;
  /** Push subscriptions; absent where none are served. */
  readonly push?: PushServices | undefined;
  /** Users, accounts, access and tokens; absent where the administration is not served. */
  readonly directory?: Directory | undefined;
  /** The users that users see (RFC 9670); absent where none are served. */
  readonly principals?: PrincipalServices | undefined;
  /** 32 octets: encrypts the secrets that descriptors want stored so. */
  readonly secretKey?: Uint8Array | undefined;
  /** Epoch ms; the system's clock where it is left out. */
  readonly now?: () => number;
}

/** The client behind a request, and the memory for its answers. */
export interface RequestSource {
  /** The request took long to read, so its calls and their answers may take long as well. */
  readonly isLong: boolean;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  /** Room for the large answers of its calls; without it they are not counted. */
  readonly room?: Pick<AnswerRoom, 'take' | 'giveBack'> | undefined;
}

/** The data of one request, which its calls share. */
export interface RequestScope extends RequestSource {
  readonly principal: Principal;
  /** Distinct capabilities of `using`. */
  readonly using: ReadonlySet<string>;
  /** Its arguments may be so large that what is done with them is done in slices. */
  isLong: boolean;
  /** Creation id to id, growing as calls create (RFC 8620 3.3). */
  readonly createdIds: Map<string, string>;
  /** Octets of response text that are still to be had (MAX_SIZE_RESPONSE). */
  remainingOctets: number;
  /** The objects that the next call wants of this one, or that this one has found for it. */
  readAhead: RequestReadAhead | null;
}

/** Creation ids and the ids of what was created; in order, a later one counts. */
export type CreatedIds = Iterable<readonly [creationId: string, id: string]>;

/** One method call: what src/methods implementations get. */
export interface CallContext {
  readonly services: Services;
  readonly request: RequestScope;
  /** The method that is called. */
  readonly method: MethodDefinition;
  /**
   * The account of `accountId`, checked for reach, capability and mode. Undefined for account use
   * `none`.
   */
  readonly account: AccountAccess | undefined;
  /** The hooks of this call; null where it meets none. */
  readonly hooks: CallHooks | null;
  /** A `tx.set` of a hook: it may write what clients may not, and its response is not sent. */
  readonly isInternal: boolean;
  /** `performance.now()` after which the call is given up. */
  readonly deadline: number;
  /** Starts slices of the call, to its deadline. Urgent: it holds the writer, so others wait. */
  startSlices(isUrgent?: boolean): Slices;
  /**
   * Has hooks complete the response, serialises it, and takes its octets from the budgets of the
   * request and the process. Rejects with MethodError `requestTooLarge` or `serverUnavailable` if
   * they don't fit. A method that writes calls it inside its transaction, so an answer that can't
   * be given undoes the write. A second call replaces the first, since a transaction may run again.
   */
  admit<Response extends object>(response: Response, how?: AdmitOptions): Promise<Answer>;
  /**
   * Returns an account of the request's user other than `accountId`'s, or undefined where it is out
   * of reach.
   */
  otherAccount(accountId: string): AccountAccess | undefined;
}

export interface AdmitOptions {
  /** Creation ids that the call adds to the request's map if it succeeds (RFC 8620 3.3). */
  readonly createdIds?: CreatedIds;
  /**
   * Further calls that dispatch runs right after this one, with the same call id (RFC 8620 5.4:
   * onSuccessDestroyOriginal).
   */
  readonly followUps?: readonly FollowUp[];
  readonly slices?: Slices;
  /** The one that is open: hooks read in it. */
  readonly transaction?: Transaction;
}

/** A response that fits: its text is what will be sent. */
export interface Answer {
  readonly response: object;
  /** The serialised triple. */
  readonly text: InvocationText;
  readonly octets: number;
  readonly createdIds: CreatedIds;
  readonly followUps: readonly FollowUp[];
}

/** Answers a method; `sent` is what the client sent where a hook replaced it. */
// biome-ignore lint/suspicious/noExplicitAny: a table of functions with argument types of their own
export type MethodBody<Arguments = any> = (
  args: Arguments,
  context: CallContext,
  sent?: Arguments,
) => Promise<Answer>;

/** The arguments to run a standard method with. */
export interface StandardArguments {
  readonly args: JsonObject;
  /** The client's, where a hook has replaced them. */
  readonly sent?: JsonObject;
}

/** An object that a call wants to create, update or destroy; nothing of it is written yet. */
export interface RefusableChange {
  /** The creation id, or the object's id. */
  readonly key: string;
  /** Null for a create. */
  readonly before: StoredObject | null;
  /** Null for a destroy. */
  readonly after: StoredObject | null;
  /** The first refusal stands. */
  refuse(error: SetError): void;
}

/** A response with what hooks add to it. */
export interface CompleteResponse {
  readonly response: object;
  /** Further calls that hooks want behind this one. */
  readonly followUps: readonly FollowUp[];
}

/** The hooks that one method call meets: src/hooks implements it. */
export interface CallHooks {
  /** Runs a method that a hook file implements. */
  runOwn(name: string, args: JsonObject): Promise<Answer>;

  /** Keeps the arguments that the descriptor adds for hooks; a hook may replace the others. */
  prepare(args: JsonObject): Promise<StandardArguments>;

  /** A transaction begins: what an attempt that was undone has kept did not happen. */
  begin(): void;

  /** Before writes: any of the wanted objects may be refused; the others go on. */
  beforeWrites(
    type: DataTypeDefinition,
    changes: readonly RefusableChange[],
    unit: UnitOfWork,
  ): Promise<void>;

  /** The rows are written: the creation ids of new objects, and the keys of refused operations. */
  noteOutcome(createdIds: CreatedIds, refused: readonly string[]): void;

  /** Nothing more is written but change records: keeps durable work in the transaction. */
  beforeCommit(unit: UnitOfWork): Promise<void>;

  /** After writes: rows are written, change records are not, so that more can join the unit. */
  afterWrites(unit: UnitOfWork): Promise<void>;

  /**
   * Returns the members that a /get asks for, for each of the objects in their order. They have the
   * properties that the hook sees.
   */
  answer(
    type: DataTypeDefinition,
    asked: AskedValues,
    objects: readonly StoredObject[],
  ): Promise<readonly JsonObject[]>;

  /** Returns the whole response; what fails inside the transaction undoes the call. */
  complete(response: object, transaction?: Transaction): Promise<CompleteResponse>;

  /** The call's answer is safe: runs what was kept for then, and waits for none of it. */
  committed(): void;

  /** The call has failed with `error`: nothing of it stays. */
  undone(error: unknown): void;
}

/** The logic of all hook files, as the methods see it: src/hooks implements it. */
export interface Hooks {
  /** Makes the hooks of one call; null where its method meets none. */
  ofCall(context: CallContext): CallHooks | null;

  /** Returns whether rows of destroyed objects of the type are read whole, since hooks see them. */
  needsWholeRows(type: DataTypeDefinition): boolean;

  /** Returns whether the call waits for more than the store: its transaction is its own. */
  isExclusive(type: DataTypeDefinition): boolean;

  /** Returns the object with its own-row computed properties; itself where none changes. */
  compute(type: DataTypeDefinition, object: StoredObject): StoredObject;
}
