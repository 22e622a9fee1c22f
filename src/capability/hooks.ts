import type { SetError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import type { DataTypeDefinition, StandardMethodName, StoredOf, TypeShape } from './definition.js';
import type { SetResponse, StoredPatch } from './standard.js';
import type { FilterOf, SortOf, TypedArguments, TypedResponses } from './typed-arguments.js';

/**
 * The types of a NAME.hooks.ts file: the logic that a schema can't express. Each hook gets the
 * batch of a whole method call, never single objects. Generated `hooks.ts` modules narrow these
 * types to the capability's own.
 */

/** A span of time, such as `500ms`, `10s`, `5m`, `12h` or `1d`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/**
 * A function of a hook file, alone or beside a time limit of its own. Without one, all hooks of a
 * call share HOOK_TIMEOUT.
 */
export type Hook<Run> = Run | { readonly timeout?: Duration; readonly run: Run };

/** The call that a hook serves. */
export interface HookCall<Arguments extends object = JsonObject> {
  readonly accountId: string;
  /** The user who asks; hooks decide by it whom they refuse. */
  readonly userId: string;
  /** Whether the user may only read the account, as the session says. */
  readonly isReadOnly: boolean;
  /** `Todo/set`: what the client called; inside `tx.set`, and for another type's hooks, too. */
  readonly method: string;
  /** The further arguments that the descriptor declares for that method, no standard ones. */
  readonly arguments: Arguments;
  /**
   * Creation ids of the request, and the ids of what was created under them (RFC 8620 5.3): by the
   * calls before and, once its rows are written, by this one.
   */
  readonly createdIds: ReadonlyMap<string, string>;
  /**
   * The creation ids and ids of what the client's /set or /copy has refused, once its rows are
   * written.
   */
  readonly refused: readonly string[];
  /** Aborted when the hook's time is over: hand it to `fetch` and the like. */
  readonly signal: AbortSignal;
}

/** An object that a call wants to create, update or destroy, before anything is written. */
export interface Wanted<Stored, Refusal = SetError> {
  /** The creation id, or the object's id. */
  readonly key: string;
  /** Null for a create. */
  readonly before: Stored | null;
  /** Null for a destroy. */
  readonly after: Stored | null;
  /**
   * Refuses this one alone; the others of the call go on. The first refusal stands. The type is one
   * of RFC 8620 (`forbidden`, `invalidProperties` ...) or one that the data type declares under
   * `errors` (`mailboxHasChild`).
   */
  refuse(error: Refusal): void;
}

/**
 * A call that follows from another one (RFC 8620 5.4, RFC 8621 7.5). The server makes it right
 * behind that one, for the same user, and answers it with the same call id.
 */
export type FollowingCall = readonly [method: string, args: object];

/** The members that hooks may give beside their result. */
export interface Following {
  /** Calls that the server makes behind this one if it succeeds. */
  readonly then?: readonly FollowingCall[];
}

/** The members that an own method may give beside its response. */
export interface OwnFollowing extends Following {
  /**
   * Ids of what it created, by the client's creation ids: later calls of the request may name these
   * with "#" (RFC 8620 5.3).
   */
  readonly createdIds?: Readonly<Record<string, string>>;
}

/** All that a call changed, including its cascades and the `tx.set`s of its hooks. */
export interface Changes<Stored> {
  readonly created: readonly Stored[];
  readonly updated: readonly { readonly before: Stored; readonly after: Stored }[];
  readonly destroyed: readonly Stored[];
}

/** Reading in the account of the call, in the transaction of the call where there is one. */
export interface HookReader<Database = unknown> {
  /** In any order; those that don't exist are left out. Null: all, at most maxObjectsInGet. */
  get<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    ids: readonly string[] | null,
  ): Promise<readonly StoredOf<S>[]>;
  /**
   * The ids of the objects that a /query would find (RFC 8620 5.5), by conditions and sorts that
   * the type declares. `limit`: at most QUERY_MAX_LIMIT, as if left out.
   */
  query<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    query?: {
      readonly filter?: FilterOf<S> | null;
      readonly sort?: readonly SortOf<S>[] | null;
      /** A negative one counts from the end. */
      readonly position?: number;
      readonly limit?: number | null;
    },
  ): Promise<readonly string[]>;
  /** The blob of the account; null where there is none that the call's user may see. */
  blob(id: string): Promise<HookBlob | null>;
  /** The team's typed Prisma client, for reading alone: it refuses to write data types. */
  readonly prisma: Database;
}

/** A blob that a hook reads. */
export interface HookBlob {
  readonly id: string;
  /** The media type. */
  readonly type: string;
  /** Octets. */
  readonly size: number;
  /** The octets, or those from `start` to `end`, without the last. It ends with the hook. */
  stream(range?: { readonly start: number; readonly end: number }): Promise<BlobStream>;
  /** All octets at once. */
  bytes(): Promise<Uint8Array>;
}

/** Octets in pieces: Node's Readable. */
export type BlobStream = AsyncIterable<Uint8Array> & NodeJS.ReadableStream;

/** The octets of a blob that a hook makes; a text is written as UTF-8. */
export type BlobOctets = string | Uint8Array | AsyncIterable<Uint8Array | string>;

export interface HookTransaction<Database = unknown> extends HookReader<Database> {
  /**
   * Foo/set through the engine: validation (but for access: hooks may write serverSet and internal
   * properties), references, change records and hooks of that type; at most 8 deep. Rejects with
   * RefusedObjectsError, and the call is undone, where any object is refused; `{ partial: true }`
   * resolves instead, and `notCreated`, `notUpdated` and `notDestroyed` say which.
   */
  set<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    request: {
      readonly create?: Readonly<Record<string, Partial<StoredOf<S>>>>;
      readonly update?: Readonly<Record<string, StoredPatch<S>>>;
      readonly destroy?: readonly string[];
    },
    options?: { readonly partial?: boolean },
  ): Promise<SetResponse<S>>;
  /**
   * Stores a blob of the call's user, at most MAX_SIZE_UPLOAD octets. It is there if the call
   * commits, and like an upload it goes after BLOBS_KEEP unless an object refers to it. The type is
   * `application/octet-stream` if left out.
   */
  putBlob(
    octets: BlobOctets,
    type?: string,
  ): Promise<{ readonly id: string; readonly type: string; readonly size: number }>;
}

/**
 * The properties that a /get asks of a type's `answer`. `Families` has the parsed names of each
 * family, by the family's name.
 */
export interface Asked<
  Name extends string = string,
  Families extends object = Readonly<Record<string, object>>,
> {
  /** The plain properties that the call asks for. */
  readonly properties: ReadonlySet<Name>;
  /** By family: the names that the call asks for, each in its parts; none of most. */
  readonly families: { readonly [Family in keyof Families]: readonly Families[Family][] };
}

/**
 * Computes what a /get asks for, for all objects of the call at once. `objects` have their ids and
 * the properties under `from`. Returns a Map from ids to members; a member of a family has the name
 * that was asked for. Members that nobody asks for are left out.
 */
export type AnswerHook<
  Source,
  Members extends object = Readonly<Record<string, unknown>>,
  Name extends string = string,
  Families extends object = Readonly<Record<string, object>>,
  Arguments extends object = JsonObject,
  Database = unknown,
> = Hook<
  (
    objects: readonly Source[],
    asked: Asked<Name, Families>,
    call: HookCall<Arguments>,
    reader: HookReader<Database>,
  ) => ReadonlyMap<string, Partial<Members>> | Promise<ReadonlyMap<string, Partial<Members>>>
>;

/** The call behind an `afterCommit`. */
export interface EffectCall<Arguments extends object = JsonObject, Database = unknown>
  extends HookCall<Arguments> {
  /** Of a durable one: the same at each attempt, so that a receiver recognises it. */
  readonly effectId: string | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Runs `work` in a transaction of the account, as an own method that writes. */
  inAccount<T>(work: (tx: HookTransaction<Database>) => T | Promise<T>): Promise<T>;
}

type AfterCommit<Stored, Arguments extends object, Database> = (
  changes: Changes<Stored>,
  call: EffectCall<Arguments, Database>,
) => void | Promise<void>;

/** Hooks of one data type. */
export interface TypeHooks<
  Stored = Readonly<Record<string, unknown>>,
  Database = unknown,
  Arguments extends object = JsonObject,
  Refusal = SetError,
> {
  /** Refuses objects, before anything is written. May read what its answer depends on. */
  readonly check?: Hook<
    (
      wanted: readonly Wanted<Stored, Refusal>[],
      call: HookCall<Arguments>,
      reader: HookReader<Database>,
    ) => void | Promise<void>
  >;
  /** Own-row computed properties (`computed: { from: [...] }`): pure and synchronous. */
  readonly compute?: Readonly<Record<string, (object: Stored) => unknown>>;
  /**
   * Computed properties that follow other objects (`computed: { on: [...] }`): gets the changes and
   * returns the new values, by the ids of this type's objects.
   */
  readonly computeOn?: Readonly<
    Record<
      string,
      Hook<
        (
          changes: Readonly<Record<string, Changes<never>>>,
          call: HookCall,
          reader: HookReader<Database>,
        ) => Promise<ReadonlyMap<string, unknown>>
      >
    >
  >;
  /** Computes answered properties when they are read. */
  // biome-ignore lint/suspicious/noExplicitAny: a function with types of its own
  readonly answer?: AnswerHook<any, any, any, any, any, Database>;
  /**
   * Writes what belongs to the change, with `tx.set`. An error that it throws undoes the call. A
   * /set with arguments that the descriptor adds runs it without changes too.
   */
  readonly inTransaction?: Hook<
    (
      changes: Changes<Stored>,
      call: HookCall<Arguments>,
      tx: HookTransaction<Database>,
      // biome-ignore lint/suspicious/noConfusingVoidType: most hooks return nothing
    ) => Promise<Following | void>
  >;
  /**
   * Acts on the world outside, once the answer is safe on disk. The server logs its errors. With
   * `durable: true` it runs at least once: the server keeps the changes in the transaction, and
   * calls the function until it succeeds, after its own end too.
   */
  readonly afterCommit?:
    | AfterCommit<Stored, Arguments, Database>
    | {
        readonly durable?: boolean;
        readonly timeout?: Duration;
        readonly run: AfterCommit<Stored, Arguments, Database>;
      };
  /**
   * Around a standard method: `before` may replace standard arguments, `after` gives the members of
   * the response that the descriptor adds.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a table of extensions with arguments of their own
  readonly methods?: Readonly<Record<string, MethodExtension<Database, any, any, any, any>>>;
}

/** Hooks around a standard method `Verb` of a type; `Further` is what the descriptor adds to it. */
export interface MethodExtension<
  Database = unknown,
  Arguments extends object = JsonObject,
  Further extends object = JsonObject,
  Verb extends StandardMethodName = StandardMethodName,
  Shape extends TypeShape = TypeShape,
> {
  /**
   * Gets the standard arguments within all limits, each value of a type that the descriptor
   * declares. Entries of `create` and `update` that are wrong by themselves are not among them: the
   * server refuses those.
   */
  readonly before?: Hook<
    (
      args: TypedArguments<Shape>[Verb],
      call: HookCall<Arguments>,
      reader: HookReader<Database>,
    ) => TypedArguments<Shape>[Verb] | Promise<TypedArguments<Shape>[Verb]>
  >;
  readonly after?: Hook<
    (
      response: TypedResponses<Shape>[Verb],
      call: HookCall<Arguments>,
      reader: HookReader<Database>,
    ) => (Further & Following) | Promise<Further & Following>
  >;
}

/** The arguments and members that a descriptor adds to standard methods, by their names. */
export type AddedMembers = {
  readonly [Verb in StandardMethodName]?: {
    readonly arguments?: object;
    readonly response?: object;
  };
};

/** Hooks around the standard methods `Verbs` of a type. */
export type MethodHooks<
  Shape extends TypeShape,
  Verbs extends StandardMethodName,
  Database = unknown,
  Added extends AddedMembers = object,
> = {
  readonly [Verb in Verbs]?: MethodExtension<
    Database,
    PartOf<Added, Verb, 'arguments', JsonObject>,
    PartOf<Added, Verb, 'response', object>,
    Verb,
    Shape
  >;
};

/** The arguments or the response members that a descriptor adds to a method, or `None`. */
type PartOf<Added, Verb, Part extends string, None extends object> = Added extends {
  readonly [Name in Verb & string]: { readonly [Name in Part]: infer Own extends object };
}
  ? Own
  : None;

/** The body of an own method; `tx` writes where the descriptor says `account: write`. */
export type OwnMethod<
  Arguments extends object = JsonObject,
  Response extends object = object,
  Database = unknown,
> = Hook<
  (
    args: Arguments,
    call: HookCall<Arguments>,
    tx: HookTransaction<Database>,
  ) => Promise<Response & OwnFollowing> | (Response & OwnFollowing)
>;
