import type { TypeShape } from './definition.js';
import type {
  ChangesArguments,
  ChangesResponse,
  Comparator,
  CopyArguments,
  CopyResponse,
  GetArguments,
  GetResponse,
  QueryArguments,
  QueryChangesArguments,
  QueryChangesResponse,
  QueryResponse,
  SetArguments,
  SetResponse,
} from './standard.js';

/** A filter of a type (RFC 8620 5.5): conditions, joined by operators. */
export type FilterOf<Shape extends TypeShape> =
  | Shape['filter']
  | {
      readonly operator: 'AND' | 'OR' | 'NOT';
      readonly conditions: readonly FilterOf<Shape>[];
    };

/** A Comparator of a type (RFC 8620 5.5): by one of its sorts, with the members of that sort. */
export type SortOf<Shape extends TypeShape> = Shape extends {
  readonly sort: infer Own extends Comparator;
}
  ? Own
  : Comparator;

/** Arguments with the filter and the sort of a type. */
type Searching<Arguments, Shape extends TypeShape> = Omit<Arguments, 'filter' | 'sort'> & {
  readonly filter?: FilterOf<Shape> | null;
  readonly sort?: readonly SortOf<Shape>[] | null;
};

/** The values that a copy has in place of its original's: null for none (RFC 8620 5.4). */
type Overrides<Shape extends TypeShape> = {
  readonly [Name in keyof Shape['create']]?:
    | Shape['create'][Name]
    | (Shape extends { readonly optional: infer Own } ? (Name extends Own ? null : never) : never);
};

/** The standard arguments of a type's methods, by the name of the method. */
export interface TypedArguments<Shape extends TypeShape = TypeShape> {
  readonly get: GetArguments;
  readonly changes: ChangesArguments;
  readonly set: Omit<SetArguments, 'create' | 'update'> & {
    /** A property that a create must give may be missing: a hook may add it. */
    readonly create?: Readonly<Record<string, Partial<Shape['create']>>> | null;
    readonly update?: Readonly<Record<string, Shape['patch']>> | null;
  };
  readonly copy: Omit<CopyArguments, 'create'> & {
    /** The id of the original, and what the copy has in place of its values. */
    readonly create: Readonly<Record<string, Overrides<Shape> & { readonly id: string }>>;
  };
  readonly query: Searching<QueryArguments, Shape>;
  readonly queryChanges: Searching<QueryChangesArguments, Shape>;
}

/** The standard members of the responses of a type's methods, by the name of the method. */
export interface TypedResponses<Shape extends TypeShape = TypeShape> {
  readonly get: GetResponse<Shape>;
  readonly changes: ChangesResponse;
  readonly set: SetResponse<Shape>;
  readonly copy: CopyResponse<Shape>;
  readonly query: QueryResponse;
  readonly queryChanges: QueryChangesResponse;
}
