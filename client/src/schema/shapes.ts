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
  /** A PatchObject of an update. */
  readonly patch: object;
  /** A FilterCondition of /query. */
  readonly filter: object;
  /** A Comparator of /query; never where the type has no sort. */
  readonly sort: { readonly property: string };
  /** Why /set refuses an object. */
  readonly error: { readonly type: string };
  /** The shapes of objects that its properties refer to, by the names of `include`. */
  readonly includes?: object;
}

/**
 * The whole values of a PatchObject (RFC 8620 5.3). Null puts the default in the place of a value;
 * `Default` are the names of properties that have one, or may be absent.
 */
export type Patch<Update, Default extends keyof Update> = {
  readonly [Name in keyof Update]?: Update[Name] | (Name extends Default ? null : never);
};

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
