declare const idOf: unique symbol;

/**
 * The id of an object of a type (RFC 8620 1.2). Any string is taken as one, so that a route's
 * parameter needs no cast; the id of another type is not.
 */
export type Id<Type extends string = string> = string & { readonly [idOf]?: Type };
