import type { ServerList } from '../query/server-list.js';

/** Returns the list as one that is asked for anew; it shows what it has until then. */
export function loseList(list: ServerList): ServerList {
  return { ...list, queryState: null, isReplacing: true };
}
