import type { Id } from './id.js';

/** Why an object of a /set was refused: unions that `switch (error.type)` tells apart. */

interface Described {
  readonly description?: string;
}

/** Properties are wrong: each by its name, a member further in by its pointer. */
export interface InvalidProperties<Property extends string = string> extends Described {
  readonly type: 'invalidProperties';
  readonly properties?: readonly Property[];
}

export interface AlreadyExists<Type extends string = string> extends Described {
  readonly type: 'alreadyExists';
  /** The object that has these values. */
  readonly existingId: Id<Type>;
}

/** The object can't go: objects refer to it. */
export interface ObjectIsLinked extends Described {
  readonly type: 'objectIsLinked';
  /** The first ten of them. */
  readonly objectIds?: readonly Id[];
}

export interface BlobNotFound extends Described {
  readonly type: 'blobNotFound';
  readonly notFound?: readonly string[];
}

/** Errors without members of their own. */
export interface PlainSetError<Name extends string = PlainSetErrorName> extends Described {
  readonly type: Name;
}

export type PlainSetErrorName =
  | 'forbidden'
  | 'invalidPatch'
  | 'notFound'
  | 'overQuota'
  | 'rateLimit'
  | 'singleton'
  | 'tooLarge'
  | 'willDestroy';

/** The SetErrors of the RFCs, of a type with these properties. */
export type StandardSetError<Type extends string, Property extends string> =
  | InvalidProperties<Property>
  | AlreadyExists<Type>
  | ObjectIsLinked
  | BlobNotFound
  | PlainSetError;

/** SetErrors of a type's own: `Errors` has their members by their names. */
export type OwnSetError<Errors extends object> = {
  readonly [Name in keyof Errors & string]: PlainSetError<Name> & Errors[Name];
}[keyof Errors & string];
