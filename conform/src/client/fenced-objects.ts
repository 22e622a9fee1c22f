import { type Item, type JsonMap, same } from './json.js';

/** The known objects of one type in one account. */
export interface Objects {
  /**
   * Ids that are there and were made by this run, oldest first, each with the check that made it.
   */
  readonly made: Map<string, string>;
  /** All ids that it ever made, gone ones too. */
  readonly ever: Set<string>;
  /** Ids among these that objects of other checks refer to. */
  readonly held: Set<string>;
  /** Ids that answers showed, whoever made them. */
  readonly seen: Set<string>;
  /** The objects that were there before it, by id; null where nobody looked. */
  before: ReadonlyMap<string, Item> | null;
  /** Whether what was there before it can't be listed. */
  isBlind: boolean;
  /** A singleton whose values were kept, and are put back at the end. */
  restored: boolean;
}

/** A create as it was sent. */
export interface Create {
  readonly type: string;
  readonly accountId: string;
  readonly key: string;
  readonly object: JsonMap;
}

/** A create that was refused, or the update of the object with an id. */
export interface Refusal extends Create {
  readonly id: string | null;
  readonly error: JsonMap;
}

/** Returns what is known of objects where nobody looked and nothing was made. */
export const makeUnknown = (): Objects => ({
  made: new Map(),
  ever: new Set(),
  held: new Set(),
  seen: new Set(),
  before: null,
  isBlind: false,
  restored: false,
});

/** Stands for an account where nobody looked. */
export const NONE: ReadonlyMap<string, Item> = new Map();

/**
 * Tells whether an object has all the values of a create. A creation id in it stands for another
 * one.
 */
export const isMadeOf = (item: Item, object: JsonMap): boolean =>
  Object.keys(object).length > 0 &&
  Object.entries(object).every(
    ([name, value]) => JSON.stringify(value).includes('"#') || same(item[name] ?? null, value),
  );

/** Tells whether an id was there before the run, or was seen and not made by it. */
export const isForeign =
  (id: string) =>
  ({ before, seen, ever }: Objects): boolean =>
    before?.has(id) === true || (seen.has(id) && !ever.has(id));
