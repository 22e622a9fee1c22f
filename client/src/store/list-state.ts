import type { JsonObject } from '../../../src/protocol/json.js';
import type { Key } from './write.js';

/** A question to the server: which objects, in which order, and how many of them. */
export interface ListSearch {
  /** The same for equal questions alone. */
  readonly name: string;
  readonly type: string;
  /** Filter, sort and further arguments of /query and /queryChanges (RFC 8620 5.5, 5.6). */
  readonly search: JsonObject;
  /** The place of its first id among all that the server finds. */
  readonly position: number;
  /** How many ids are wanted from there on. */
  readonly length: number;
}

/** A list that the server decides. Never changed: each step gives another one. JSON alone. */
export interface ServerList extends ListSearch {
  /** The ids from its place on as the server has them at `queryState`. */
  readonly ids: readonly string[];
  /** Null: they are asked for anew. */
  readonly queryState: string | null;
  /** The server can tell what changes of this list: of its begin alone. */
  readonly hasChanges: boolean;
  readonly total: number | null;
  /** The ids to show: the ones of before, until a list that is asked for anew is there. */
  readonly shown: readonly string[];
  /** `ids` will take the place of `shown`. */
  readonly isReplacing: boolean;
  /** Objects with writes that are answered and that no answer about the list has covered yet. */
  readonly answered: readonly Key[];
}

/** Returns the list as one that is asked for anew; it shows what it has until then. */
export function loseList(list: ServerList): ServerList {
  return { ...list, queryState: null, isReplacing: true };
}
