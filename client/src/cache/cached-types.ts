import type { MethodErrorType } from '../../../src/protocol/errors.js';
import type { AccountCalls, Project } from '../call/account.js';
import type { BlobId, Uploaded, UploadOptions } from '../call/blobs.js';
import type { MethodsOf, Search } from '../call/methods.js';
import type { Client } from '../client.js';
import type { Id } from '../schema/id.js';
import type { PlainSetError } from '../schema/set-errors.js';
import type { TypeShape } from '../schema/shapes.js';
import type { Observable } from './observable.js';

/** The compiler knows by these what a client with a store has. */

/** An object as it is on screen: frozen, and the same one until something of it changes. */
export type Row<Shape extends TypeShape> = Shape['object'] & {
  /** Names the object for as long as the client has it, before the server gave it an id too. */
  readonly $key: string;
  /** The server has not answered all writes of it. */
  readonly $pending: boolean;
};

/** Somebody has changed properties that an update with `ifUnchanged` touches. */
export interface ConflictError<Shape extends TypeShape> {
  readonly type: 'conflict';
  readonly description?: string;
  /** The properties that have changed, as the update saw them. */
  readonly seen: Partial<Shape['object']>;
  /** The same properties as the server has them. */
  readonly current: Partial<Shape['object']>;
}

/** Why a write was refused: a SetError of its type, or the error of its whole call. */
export type WriteError<Shape extends TypeShape> =
  | Shape['error']
  | ConflictError<Shape>
  /**
   * `dependencyFailed`: it refers to an object whose create was refused. `closed`: the client was
   * closed before the server answered; a write that is saved is sent by the next client. `aborted`:
   * the program has ended it before it was sent. `clientOutdated`: the server refuses properties,
   * and has another version of the type. `recipeFailed`: the function of an update threw.
   */
  | PlainSetError<
      | 'aborted'
      | 'clientOutdated'
      | 'closed'
      | 'dependencyFailed'
      | 'forbidden'
      | 'notFound'
      | 'recipeFailed'
      | 'tooLarge'
      | MethodErrorType
    >;

export type WriteResult<Shape extends TypeShape, Object> =
  | { readonly ok: true; readonly object: Object }
  | { readonly ok: false; readonly error: WriteError<Shape> };

/** A write that is on screen already. */
export interface Write<Shape extends TypeShape, Object = Row<Shape> | undefined> {
  /** The object as the write shows it. A destroyed one is as it was before. */
  readonly object: Object;
  /** Resolves to true once the write survives the end of the program; false: it won't. */
  readonly saved: Promise<boolean>;
  /**
   * Resolves when the server has answered, however much later, or the client is closed before. It
   * never rejects. A refused write
   * whose result nobody has asked for is one of `jmap.problems`.
   */
  readonly result: Promise<WriteResult<Shape, Object>>;
}

/** A file that is kept, and uploaded as soon as the server can be reached. */
export interface Upload {
  /** Names the file in writes before it has an id. An upload may stand in the place of its key. */
  readonly key: BlobId;
  /** Resolves to true once the file survives the end of the program; false: it won't. */
  readonly saved: Promise<boolean>;
  /** Resolves when the server has the file, however much later, or refuses it. It never rejects. */
  readonly result: Promise<
    | { readonly ok: true; readonly blob: Uploaded }
    | {
        readonly ok: false;
        readonly error: { readonly type: string; readonly description?: string };
      }
  >;
  toJSON(): string;
}

/** Values in which uploads may stand for the ids of blobs. */
export type WithUploads<Value> =
  Value extends Id<infer Type>
    ? Value | ([Type] extends ['Blob'] ? Upload : never)
    : Value extends readonly (infer Item)[]
      ? readonly WithUploads<Item>[]
      : Value extends object
        ? { [Name in keyof Value]: WithUploads<Value[Name]> }
        : Value;

type Primitive = string | number | boolean | null | undefined;

type Mutable<Value> = Value extends Primitive
  ? Value
  : Value extends readonly (infer Item)[]
    ? Mutable<Item>[]
    : { -readonly [Name in keyof Value]: Mutable<Value[Name]> };

/** A copy of an object in which a recipe changes what an update may change. */
export type Draft<Shape extends TypeShape> = Mutable<WithUploads<Shape['update']>> &
  Omit<Row<Shape>, keyof Shape['update']>;

/** A change of an object: a PatchObject, or a function that changes a copy of the object. */
export type Edit<Shape extends TypeShape> =
  | WithUploads<Shape['patch']>
  | ((draft: Draft<Shape>) => void);

export interface Creates<Shape extends TypeShape> {
  /** Creates an object. Others may name it by its `id` at once. */
  create(values: WithUploads<Shape['create']>): Write<Shape, Row<Shape>>;
  /** Destroys an object. */
  destroy(id: Id<Shape['name']>): Write<Shape>;
}

export interface UpdateOptions {
  /**
   * Refuses the update with an error of type `conflict` where somebody has changed a property that
   * it touches. By default the last write of a property wins, and members of maps are merged.
   */
  readonly ifUnchanged?: boolean | undefined;
}

export interface Updates<Shape extends TypeShape> {
  /** Changes an object. A recipe becomes the least patch: members that it doesn't touch stay. */
  update(id: Id<Shape['name']>, edit: Edit<Shape>, options?: UpdateOptions): Write<Shape>;
}

/** `loading`: not all of the list has been read yet. `offline`: the server can't be reached. */
export type LiveStatus = 'loading' | 'live' | 'offline' | 'error';

export interface LiveSnapshot<Object> {
  /** The objects in their order: the same list, with the same rows, until it changes. */
  readonly rows: readonly Object[];
  /** How many objects there are in all, without a limit. */
  readonly total: number;
  readonly status: LiveStatus;
  /** The rows are all that there should be, as of the last answer. */
  readonly complete: boolean;
  /**
   * Only the server can tell where pending writes belong in the list: it may have other rows, or
   * in another order, once the server has answered.
   */
  readonly approximate: boolean;
}

/** A list that follows what changes, here and on the server. */
export interface LiveQuery<Object> extends Observable<LiveSnapshot<Object>> {
  /** The rows of the snapshot. */
  readonly rows: readonly Object[];
}

/** Says which objects a list has, and their order. Types without /query have all of them. */
export type LiveOptions<Shape extends TypeShape> = ([Shape['filter']] extends [never]
  ? unknown
  : Search<Shape>) & {
  /** The place of the first row; 0 by default. */
  readonly position?: number | undefined;
  /** At most so many rows. A type that the client keeps in part has 1,000 without a limit. */
  readonly limit?: number | null | undefined;
};

/** The references of a type by the names of `include`: `list` of `listId`. */
type Includes<Shape extends TypeShape> = Shape extends { readonly includes: infer Named }
  ? Named
  : object;

/** Objects beside the ids that refer to them; null or absent where the client has none. */
type Included<Shape extends TypeShape, Name extends keyof Includes<Shape>> = {
  readonly [One in Name]: Includes<Shape>[One] extends readonly (infer Many)[]
    ? readonly Row<Many & TypeShape>[]
    : Row<Includes<Shape>[One] & TypeShape> | null;
};

export interface Lives<Shape extends TypeShape> {
  /** Returns a list of objects. Equal ones are one and the same. */
  live<const Name extends keyof Includes<Shape> & string = never>(
    options?: LiveOptions<Shape> & {
      /** References whose objects stand in the rows: `['list']` gives `row.list` of `listId`. */
      readonly include?: readonly Name[] | undefined;
    },
  ): LiveQuery<Row<Shape> & Included<Shape, Name>>;
}

type Unless<Condition, Never, Members> = [Condition] extends [Never] ? unknown : Members;

type CachedForms<Shape extends TypeShape> = Lives<Shape> &
  Unless<Shape['create'], never, Creates<Shape>> &
  Unless<Shape['update'], never, Updates<Shape>>;

/** The methods of a type with its cached forms, which go before methods of the same names. */
export type CachedMethods<Methods> =
  Methods extends MethodsOf<infer Shape>
    ? Omit<Methods, keyof CachedForms<Shape>> & CachedForms<Shape>
    : Methods;

type GroupedForms<Methods> =
  Methods extends MethodsOf<infer Shape>
    ? Unless<Shape['create'], never, Creates<Shape>> &
        Unless<Shape['update'], never, GroupedUpdates<Shape>>
    : unknown;

interface GroupedUpdates<Shape extends TypeShape> {
  /** Changes an object. The function sees what earlier writes of the group have made of it. */
  update(id: Id<Shape['name']>, edit: Edit<Shape>): Write<Shape>;
}

/** The types of a project, for writes that are made together. */
export type GroupedTypes<P extends Project> = {
  readonly [Name in keyof P['alone']]: GroupedForms<P['alone'][Name]>;
};

/** Writes that were made together. Each of them has an end of its own besides. */
export interface GroupedWrite {
  /** Resolves to true once all of them survive the end of the program; false: they won't. */
  readonly saved: Promise<boolean>;
  /** Resolves when the server has answered all of them, to the first error. It never rejects. */
  readonly result: Promise<
    { readonly ok: true } | { readonly ok: false; readonly error: WriteError<TypeShape> }
  >;
}

/** An account of which the client keeps a copy. */
export type CachedAccount<P extends Project> = Omit<AccountCalls<P>, 'upload'> & {
  readonly [Name in keyof P['alone']]: CachedMethods<P['alone'][Name]>;
} & {
  /**
   * Keeps a file and uploads it, now or once the server can be reached. `blobUrl` and `download`
   * take its key at once.
   */
  upload(data: BlobPart, options?: UploadOptions): Upload;
  /**
   * Makes writes together: they show, and are kept, all at once or not at all. The client sends
   * writes of one type as one /set, and writes of several types in one request. The server may
   * refuse some of them and make the others. Where the function throws, nothing is written.
   */
  write(make: (types: GroupedTypes<P>) => void): GroupedWrite;
};

/** A write that was refused, and that nobody waited for. It stays until it is dealt with. */
export interface Problem {
  readonly accountId: Id<'Account'>;
  readonly type: string;
  readonly kind: 'create' | 'update' | 'destroy';
  /** The `$key` of the object. */
  readonly key: string;
  /** The values of a create, the patch of an update; null for a destroy. */
  readonly values: object | null;
  readonly error: {
    readonly type: string;
    readonly description?: string;
    /** The properties that a `conflict` is about. */
    readonly seen?: object;
    readonly current?: object;
  };
  /** Writes the same once more; after a conflict, over what the server has. */
  retry(): void;
  /**
   * Writes other values: those of a create, or the patch of an update, in the place of `values`. A
   * new object keeps its `key`.
   */
  edit(values: object): void;
  /** Forgets the write. */
  discard(): void;
}

export interface SyncSnapshot {
  /**
   * `needsAuth`: the server refuses the token. `replaced`: the client is closed, since another one
   * has the store now, or the user has logged out in another tab.
   */
  readonly status: LiveStatus | 'needsAuth' | 'replaced';
  /** How many writes the server has not answered. */
  readonly pending: number;
  /** When everything was last in step, in milliseconds since 1970; null: not yet. */
  readonly lastSynced: number | null;
  /**
   * How much is here of the types that are being read for the first time, from 0 to 1. Null: there
   * are none, or the server doesn't tell how many objects they have.
   */
  readonly progress: number | null;
  /** The store keeps what is written. Without that, the client goes on in memory. */
  readonly storage: 'kept' | 'lost';
}

export interface SchemaSnapshot {
  /** Types that the server has in another version than the one from which the program is made. */
  readonly outdated: readonly string[];
}

export interface SyncControl extends Observable<SyncSnapshot> {
  /** Resolves when everything is sent and everything read, of all accounts in use. */
  settled(): Promise<void>;
  /**
   * Tells that an account, or any, has changed on the server, or some types of it: the client reads
   * the changes in a moment.
   */
  wake(accountId?: Id<'Account'>, types?: readonly string[]): void;
  /** Tells whether something calls `wake`; without that, the client asks every 30 seconds. */
  setPushed(isPushed: boolean): void;
}

export interface LogoutOptions {
  /** Writes that the server has not answered are lost, and files that it has not got. */
  readonly discard?: boolean | undefined;
}

/** A client with a store. */
export interface CachedClient<P extends Project> extends Omit<Client<P>, 'account'> {
  account(id?: Id<'Account'>): CachedAccount<P>;
  readonly sync: SyncControl;
  /** Tells which types have another version on the server. Old programs go on as they can. */
  readonly schema: Observable<SchemaSnapshot>;
  readonly problems: Observable<readonly Problem[]>;
  /**
   * Removes the user's data from the store, and closes the client. Rejects where writes are
   * pending, unless they may be discarded, and where the data can't be removed: call it again.
   */
  logout(options?: LogoutOptions): Promise<void>;
}
