import type { SetError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import type { DataTypeDefinition, StoredOf, TypeShape } from './definition.js';
import type { SetResponse } from './standard.js';

/**
 * The types of a NAME.hooks.ts file: the logic that a schema can't express. Each hook gets the
 * batch of a whole method call, never single objects. Generated `hooks.ts` modules narrow these
 * types to the capability's own.
 */

/** The call that a hook serves. */
export interface HookCall<Arguments extends object = JsonObject> {
  readonly accountId: string;
  /** The user who asks; hooks decide by it whom they refuse. */
  readonly userId: string;
  /** `Todo/set`: what the client called; inside `tx.set`, and for another type's hooks, too. */
  readonly method: string;
  /** The further arguments that the descriptor declares for that method, no standard ones. */
  readonly arguments: Arguments;
  /** Aborted when HOOK_TIMEOUT has passed: hand it to `fetch` and the like. */
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
  /** The team's typed Prisma client, for reading alone: it refuses to write data types. */
  readonly prisma: Database;
}

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
      readonly update?: Readonly<Record<string, JsonObject>>;
      readonly destroy?: readonly string[];
    },
    options?: { readonly partial?: boolean },
  ): Promise<SetResponse<S>>;
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
> = (
  objects: readonly Source[],
  asked: Asked<Name, Families>,
  call: HookCall<Arguments>,
  reader: HookReader<Database>,
) => ReadonlyMap<string, Partial<Members>> | Promise<ReadonlyMap<string, Partial<Members>>>;

/** Hooks of one data type. */
export interface TypeHooks<
  Stored = Readonly<Record<string, unknown>>,
  Database = unknown,
  Arguments extends object = JsonObject,
  Refusal = SetError,
> {
  /** Refuses objects, before anything is written. May read what its answer depends on. */
  check?(
    wanted: readonly Wanted<Stored, Refusal>[],
    call: HookCall<Arguments>,
    reader: HookReader<Database>,
  ): void | Promise<void>;
  /** Own-row computed properties (`computed: { from: [...] }`): pure and synchronous. */
  readonly compute?: Readonly<Record<string, (object: Stored) => unknown>>;
  /**
   * Computed properties that follow other objects (`computed: { on: [...] }`): gets the changes and
   * returns the new values, by the ids of this type's objects.
   */
  readonly computeOn?: Readonly<
    Record<
      string,
      (
        changes: Readonly<Record<string, Changes<never>>>,
        call: HookCall,
        reader: HookReader<Database>,
      ) => Promise<ReadonlyMap<string, unknown>>
    >
  >;
  /** Computes answered properties when they are read. */
  // biome-ignore lint/suspicious/noExplicitAny: a function with types of its own
  readonly answer?: AnswerHook<any, any, any, any, any, Database>;
  /** Writes what belongs to the change, with `tx.set`. An error that it throws undoes the call. */
  inTransaction?(
    changes: Changes<Stored>,
    call: HookCall<Arguments>,
    tx: HookTransaction<Database>,
  ): Promise<void>;
  /** Acts on the world outside, once the answer is safe on disk. The server logs its errors. */
  afterCommit?(changes: Changes<Stored>, call: HookCall<Arguments>): void | Promise<void>;
  /**
   * Around a standard method whose descriptor declares further arguments or response members:
   * `before` may replace standard arguments, `after` gives the further members of the response.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a table of extensions with arguments of their own
  readonly methods?: Readonly<Record<string, MethodExtension<Database, any, any>>>;
}

export interface MethodExtension<
  Database = unknown,
  Arguments extends object = JsonObject,
  Further extends object = JsonObject,
> {
  before?(
    args: JsonObject,
    call: HookCall<Arguments>,
    reader: HookReader<Database>,
  ): JsonObject | Promise<JsonObject>;
  after?(
    response: JsonObject,
    call: HookCall<Arguments>,
    reader: HookReader<Database>,
  ): Further | Promise<Further>;
}

/** The body of an own method; `tx` writes where the descriptor says `account: write`. */
export type OwnMethod<
  Arguments extends object = JsonObject,
  Response extends object = object,
  Database = unknown,
> = (
  args: Arguments,
  call: HookCall<Arguments>,
  tx: HookTransaction<Database>,
) => Promise<Response> | Response;

/** All hooks of a capability: what `export const hooks` of NAME.hooks.ts is. */
export interface CapabilityHooks {
  // biome-ignore lint/suspicious/noExplicitAny: a table of hooks with types of their own
  readonly types?: Readonly<Record<string, TypeHooks<any, any, any, any>>>;
  // biome-ignore lint/suspicious/noExplicitAny: a table of methods with argument types of their own
  readonly methods?: Readonly<Record<string, OwnMethod<any, any, any>>>;
}
