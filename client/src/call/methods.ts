import type { Id } from '../schema/id.js';
import type { Filter, Sort, TypeShape } from '../schema/shapes.js';
import type { CallError } from './errors.js';
import type { OrReferences, Ref } from './reference.js';

/**
 * The standard methods of a type (RFC 8620 5.1 to 5.6). `Args` and `Members` are what a descriptor
 * adds to the arguments and to the response of one.
 */

declare const answer: unique symbol;
declare const shape: unique symbol;

/** Methods of a type. They tell the compiler which one. */
export interface MethodsOf<Shape extends TypeShape> {
  readonly [shape]?: Shape;
}

/** A call of a batch. Its members are references to the answer, for later calls. */
export type Call<Response> = Ref<Response> & { readonly [answer]: Response };

/** Calls of a batch as its function returns them: one, or objects of them. */
export type CallTree = Call<unknown> | { readonly [name: string]: CallTree };

/** The responses of calls, in the same shape. */
export type Answers<Tree> = Tree extends { readonly [answer]: infer Response }
  ? Response
  : { readonly [Name in keyof Tree]: Answers<Tree[Name]> };

/** How a call ended. */
export type Outcome<Response> =
  | { readonly ok: true; readonly value: Response }
  | {
      readonly ok: false;
      readonly error: CallError;
      /** Of a call that was sent in parts: the answer to those that the server carried out. */
      readonly partial?: Response;
    };

/** The outcomes of calls, in the same shape. */
export type Outcomes<Tree> = Tree extends { readonly [answer]: infer Response }
  ? Outcome<Response>
  : { readonly [Name in keyof Tree]: Outcomes<Tree[Name]> };

/** Where a method is called: within a batch, or alone, which is a request of its own. */
export type Mode = 'batch' | 'alone';

/** The value that a method returns. */
export type Result<M extends Mode, Response> = M extends 'batch'
  ? Call<Response>
  : Promise<Response>;

/** The arguments of a method. Within a batch they may be references. */
export type Given<M extends Mode, Arguments> = M extends 'batch'
  ? OrReferences<Arguments>
  : Arguments;

/** A method of a project's own. */
export type OwnMethod<M extends Mode, Arguments, Response> = (
  args: Given<M, Arguments>,
) => Result<M, Response>;

type Object_<Shape extends TypeShape> = Shape['object'];

export interface GetResponse<Type extends string, Object> {
  readonly accountId: Id<'Account'>;
  readonly state: string;
  readonly list: readonly Object[];
  readonly notFound: readonly Id<Type>[];
}

export interface Get<Shape extends TypeShape, M extends Mode, Args = unknown, Members = unknown>
  extends MethodsOf<Shape> {
  /** Gets objects by their ids; null or nothing for all of them. `properties` narrows the type. */
  get<const Name extends keyof Object_<Shape> = keyof Object_<Shape>>(
    args?: Given<
      M,
      {
        readonly ids?: readonly Id<Shape['name']>[] | null;
        readonly properties?: readonly Name[] | null;
      } & Args
    >,
  ): Result<
    M,
    GetResponse<Shape['name'], Pick<Object_<Shape>, Name | ('id' & keyof Object_<Shape>)>> & Members
  >;
}

export interface ChangesResponse<Type extends string, Name = string> {
  readonly accountId: Id<'Account'>;
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly Id<Type>[];
  readonly updated: readonly Id<Type>[];
  readonly destroyed: readonly Id<Type>[];
  /** The properties that alone may have changed in all of `updated`; null: any. */
  readonly updatedProperties?: readonly Name[] | null;
}

export interface Changes<
  Shape extends TypeShape,
  M extends Mode,
  Args = unknown,
  Members = unknown,
> {
  /** Tells which objects have changed since a state. */
  changes(
    args: Given<M, { readonly sinceState: string; readonly maxChanges?: number | null } & Args>,
  ): Result<M, ChangesResponse<Shape['name'], keyof Object_<Shape>> & Members>;
}

/** A created or updated object as far as the client can't know it (RFC 8620 5.3). */
type Set_<Shape extends TypeShape> = Partial<Object_<Shape>> & { readonly id: Id<Shape['name']> };

export interface SetResponse<Shape extends TypeShape, Key extends string = string> {
  readonly accountId: Id<'Account'>;
  readonly oldState: string | null;
  readonly newState: string;
  readonly created: { readonly [Name in Key]?: Set_<Shape> } | null;
  readonly updated: Readonly<Record<Id<Shape['name']>, Partial<Object_<Shape>> | null>> | null;
  readonly destroyed: readonly Id<Shape['name']>[] | null;
  readonly notCreated: { readonly [Name in Key]?: Shape['error'] } | null;
  readonly notUpdated: Readonly<Record<Id<Shape['name']>, Shape['error']>> | null;
  readonly notDestroyed: Readonly<Record<Id<Shape['name']>, Shape['error']>> | null;
}

export interface SetMethod<
  Shape extends TypeShape,
  M extends Mode,
  Args = unknown,
  Members = unknown,
> {
  /** Creates, updates and destroys objects. Later calls name a new one by `#` and its key. */
  set<Key extends string = never>(
    args: Given<
      M,
      {
        readonly ifInState?: string | null;
        readonly create?: Readonly<Record<Key, Shape['create']>> | null;
        readonly update?: Readonly<Record<Id<Shape['name']>, Shape['patch']>> | null;
        readonly destroy?: readonly Id<Shape['name']>[] | null;
      } & Args
    >,
  ): Result<M, SetResponse<Shape, Key> & Members>;
}

export interface CopyResponse<Shape extends TypeShape, Key extends string = string> {
  readonly fromAccountId: Id<'Account'>;
  readonly accountId: Id<'Account'>;
  readonly oldState: string | null;
  readonly newState: string;
  readonly created: { readonly [Name in Key]?: Set_<Shape> } | null;
  readonly notCreated: { readonly [Name in Key]?: Shape['error'] } | null;
}

export interface Copy<Shape extends TypeShape, M extends Mode, Args = unknown, Members = unknown> {
  /** Copies objects of another account to this one, with other values where `create` gives them. */
  copy<Key extends string>(
    args: Given<
      M,
      {
        readonly fromAccountId: Id<'Account'>;
        readonly ifFromInState?: string | null;
        readonly ifInState?: string | null;
        readonly create: Readonly<
          Record<Key, { readonly id: Id<Shape['name']> } & Partial<Shape['create']>>
        >;
        readonly onSuccessDestroyOriginal?: boolean;
        readonly destroyFromIfInState?: string | null;
      } & Args
    >,
  ): Result<M, CopyResponse<Shape, Key> & Members>;
}

/** The objects that a list has, and their order. */
export interface Search<Shape extends TypeShape> {
  readonly filter?: Filter<Shape['filter']> | null;
  readonly sort?: readonly Sort<Shape>[] | null;
}

export interface QueryArguments<Shape extends TypeShape> extends Search<Shape> {
  readonly position?: number;
  readonly anchor?: Id<Shape['name']> | null;
  readonly anchorOffset?: number;
  readonly limit?: number | null;
  readonly calculateTotal?: boolean;
}

export interface QueryResponse<Type extends string> {
  readonly accountId: Id<'Account'>;
  readonly queryState: string;
  readonly canCalculateChanges: boolean;
  readonly position: number;
  readonly ids: readonly Id<Type>[];
  readonly total?: number;
  readonly limit?: number;
}

export interface Query<Shape extends TypeShape, M extends Mode, Args = unknown, Members = unknown> {
  /** Finds the ids of a list. */
  query(
    args?: Given<M, QueryArguments<Shape> & Args>,
  ): Result<M, QueryResponse<Shape['name']> & Members>;
}

export interface QueryChangesArguments<Shape extends TypeShape> extends Search<Shape> {
  readonly sinceQueryState: string;
  readonly maxChanges?: number | null;
  readonly upToId?: Id<Shape['name']> | null;
  readonly calculateTotal?: boolean;
}

export interface QueryChangesResponse<Type extends string> {
  readonly accountId: Id<'Account'>;
  readonly oldQueryState: string;
  readonly newQueryState: string;
  readonly total?: number;
  readonly removed: readonly Id<Type>[];
  readonly added: readonly { readonly id: Id<Type>; readonly index: number }[];
}

export interface QueryChanges<
  Shape extends TypeShape,
  M extends Mode,
  Args = unknown,
  Members = unknown,
> {
  /** Tells how a list has changed since a state of it. */
  queryChanges(
    args: Given<M, QueryChangesArguments<Shape> & Args>,
  ): Result<M, QueryChangesResponse<Shape['name']> & Members>;
}
