/** References to results of earlier calls of a batch (RFC 8620 3.7), typed from end to end. */

declare const referredValue: unique symbol;

/** A value that the server takes from the answer of an earlier call. */
export interface Reference<Value> {
  readonly [referredValue]: Value;
}

type Primitive = string | number | boolean | null | undefined;

/** Items of a list that a list of lists becomes (RFC 8620 3.7: `*` flattens one level). */
type Flat<Item> = Item extends readonly (infer Inner)[] ? Inner : Item;

/** A reference with what is further in: members of objects, `map` of lists. */
export type Ref<Value> = Reference<Value> &
  ([Value] extends [Primitive]
    ? unknown
    : [Value] extends [readonly (infer Item)[]]
      ? {
          /** Returns the references of one value of each item. */
          map<Part>(pick: (item: Ref<Item>) => Reference<Part>): Ref<readonly Flat<Part>[]>;
        }
      : { readonly [Name in keyof Value]: Ref<Value[Name]> });

/** Arguments, each of which may be a reference too. */
export type OrReferences<Arguments> = {
  readonly [Name in keyof Arguments]: Arguments[Name] | Reference<Arguments[Name]>;
};
