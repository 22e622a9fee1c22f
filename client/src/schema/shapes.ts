/** The compiler knows a project's types by these: generated/client has a shape for each. */

/** A data type: its objects, and the arguments and errors of its methods. */
export interface TypeShape {
  readonly name: string;
  /** An object as /get answers it. */
  readonly object: object;
  /** The properties of a create. */
  readonly create: object;
  /** The properties that an update may change, each as a whole. */
  readonly update: object;
  /** A FilterCondition of /query. */
  readonly filter: object;
  /** A Comparator of /query; never where the type has no sort. */
  readonly sort: { readonly property: string };
  /** Why /set refuses an object. */
  readonly error: { readonly type: string };
}

/**
 * A PatchObject (RFC 8620 5.3): properties as a whole, null for the default, members by pointer.
 */
export type Patch<Shape extends TypeShape> = {
  readonly [Name in keyof Shape['update']]?: Shape['update'][Name] | null;
} & { readonly [Pointer in `${keyof Shape['update'] & string}/${string}`]?: unknown };

/** A filter (RFC 8620 5.5): a condition, or conditions joined by an operator. */
export type Filter<Condition> =
  | Condition
  | {
      readonly operator: 'AND' | 'OR' | 'NOT';
      readonly conditions: readonly Filter<Condition>[];
    };

/**
 * How a list is sorted: a Comparator (RFC 8620 5.5), or the name of a property, behind a `-` where
 * it descends.
 */
export type Sort<Shape extends TypeShape> =
  | Shape['sort']
  | Shape['sort']['property']
  | `-${Shape['sort']['property']}`;
