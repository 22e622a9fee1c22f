import type { SetError, StandardSetError } from '../protocol/errors.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';
import type { StoredOf, TypeShape } from './definition.js';

/** Arguments and responses of the standard methods (RFC 8620 5.1 to 5.6), typed by a shape. */

/** A text with each `From` in it replaced. */
type Replaced<
  Text extends string,
  From extends string,
  To extends string,
> = Text extends `${infer Head}${From}${infer Tail}`
  ? `${Head}${To}${Replaced<Tail, From, To>}`
  : Text;

/** A name as a JSON Pointer has it (RFC 6901 3): `~0` for `~`, `~1` for `/`. */
type Token<Name> = Name extends string ? Replaced<Replaced<Name, '~', '~0'>, '/', '~1'> : Name;

/**
 * A PatchObject (RFC 8620 5.3) of a type: new values, null for the default, further members by JSON
 * Pointer. `Create` is what a client gives of a new object.
 */
export type PatchObject<Create extends object> = {
  readonly [Name in keyof Create as Token<Name>]?: undefined extends Create[Name]
    ? Create[Name] | null
    : Create[Name];
} & { readonly [pointer: string]: unknown };

/** The names of members that an object may not lack. */
type RequiredName<Value extends object> = {
  [Name in keyof Value]-?: undefined extends Value[Name] ? never : Name;
}[keyof Value];

/**
 * A PatchObject by a hook: of all stored properties, internal and server-set ones too. Null puts
 * the default in the place of a value; a property that every create must give has none. A pointer
 * begins with a property's name; what follows it is judged when the patch is applied.
 */
export type StoredPatch<Shape extends TypeShape> = {
  readonly [Name in keyof StoredOf<Shape> as Token<Name>]?: Name extends RequiredName<
    Shape['create']
  >
    ? StoredOf<Shape>[Name]
    : StoredOf<Shape>[Name] | null;
} & { readonly [Pointer in `${Token<keyof StoredOf<Shape> & string>}/${string}`]?: unknown };

/**
 * SetErrors of a type's own: a union with a member for each error of `Errors`, an object of the
 * errors' members by their names.
 */
export type OwnSetError<Errors extends object> = {
  readonly [Type in keyof Errors & string]: Omit<StandardSetError, 'type'> & {
    readonly type: Type;
  } & Errors[Type];
}[keyof Errors & string];

/** The SetErrors of a type; of one that declares none of its own, any. */
export type SetErrorOf<Shape extends TypeShape> = Shape extends {
  readonly error: infer Own extends object;
}
  ? Own
  : SetError;

export interface GetArguments {
  readonly accountId: string;
  readonly ids?: readonly string[] | null;
  readonly properties?: readonly string[] | null;
}

export interface GetResponse<Shape extends TypeShape = TypeShape> {
  readonly accountId: string;
  readonly state: string;
  readonly list: readonly Partial<Shape['object']>[];
  readonly notFound: readonly string[];
}

export interface ChangesArguments {
  readonly accountId: string;
  readonly sinceState: string;
  readonly maxChanges?: number | null;
}

export interface ChangesResponse {
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
  /**
   * The properties that alone may have changed in all of `updated`, the time of the update among
   * them; null where any may have. A /get takes it as its `properties` (RFC 8621 2.2).
   */
  readonly updatedProperties: readonly string[] | null;
}

/**
 * The argument that the capability `urn:jmapsmith:once` adds to every method that writes
 * (docs/reference/protocol.md#once). No hook sees it.
 */
export interface OnceArgument {
  /** 1 to 128 characters that the client has chosen for the call. */
  readonly onceKey?: string;
}

export interface SetArguments {
  readonly accountId: string;
  readonly ifInState?: string | null;
  /** Values are validated one by one, so that one bad object does not fail the others. */
  readonly create?: Readonly<Record<string, JsonValue>> | null;
  readonly update?: Readonly<Record<string, JsonValue>> | null;
  readonly destroy?: readonly string[] | null;
}

export interface SetResponse<Shape extends TypeShape = TypeShape> {
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly created: Readonly<Record<string, Partial<Shape['object']>>> | null;
  readonly updated: Readonly<Record<string, Partial<Shape['object']> | null>> | null;
  readonly destroyed: readonly string[] | null;
  readonly notCreated: Readonly<Record<string, SetErrorOf<Shape>>> | null;
  readonly notUpdated: Readonly<Record<string, SetErrorOf<Shape>>> | null;
  readonly notDestroyed: Readonly<Record<string, SetErrorOf<Shape>>> | null;
}

export interface CopyArguments {
  readonly fromAccountId: string;
  readonly ifFromInState?: string | null;
  readonly accountId: string;
  readonly ifInState?: string | null;
  readonly create: Readonly<Record<string, JsonValue>>;
  readonly onSuccessDestroyOriginal?: boolean;
  readonly destroyFromIfInState?: string | null;
}

export interface CopyResponse<Shape extends TypeShape = TypeShape> {
  readonly fromAccountId: string;
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly created: Readonly<Record<string, Partial<Shape['object']>>> | null;
  readonly notCreated: Readonly<Record<string, SetErrorOf<Shape>>> | null;
}

export interface Comparator<Name extends string = string> {
  readonly property: Name;
  readonly isAscending?: boolean;
  readonly collation?: string;
}

export interface QueryArguments {
  readonly accountId: string;
  readonly filter?: JsonObject | null;
  readonly sort?: readonly Comparator[] | null;
  readonly position?: number;
  readonly anchor?: string | null;
  readonly anchorOffset?: number;
  readonly limit?: number | null;
  readonly calculateTotal?: boolean;
}

export interface QueryResponse {
  readonly accountId: string;
  readonly queryState: string;
  readonly canCalculateChanges: boolean;
  readonly position: number;
  readonly ids: readonly string[];
  readonly total?: number;
  readonly limit?: number;
}

export interface QueryChangesArguments {
  readonly accountId: string;
  readonly filter?: JsonObject | null;
  readonly sort?: readonly Comparator[] | null;
  readonly sinceQueryState: string;
  readonly maxChanges?: number | null;
  readonly upToId?: string | null;
  readonly calculateTotal?: boolean;
}

export interface QueryChangesResponse {
  readonly accountId: string;
  readonly oldQueryState: string;
  readonly newQueryState: string;
  readonly total?: number;
  readonly removed: readonly string[];
  readonly added: readonly { readonly id: string; readonly index: number }[];
}
