import type { TypeTable } from '../schema/tables.js';
import type { Change, Replica } from '../store/replica.js';

/** Lists that a client keeps although nobody looks at them: they show at once the next time. */
const MOST_LISTS = 20;
/** Answered writes that a closed list may wait for: each of them has the list written anew. */
const MOST_ANSWERED = 100;
/** Objects of a type that are kept in any case, where the store has room. */
const MOST_OBJECTS = 10_000;

export interface Needs {
  /** Names of lists that somebody looks at. */
  readonly open: ReadonlySet<string>;
  /** Types and ids of objects that somebody looks at besides, with a space between. */
  readonly held: ReadonlySet<string>;
  /** Objects of a type that are kept in any case, where the client doesn't keep all of them. */
  readonly most?: number | undefined;
}

/**
 * Returns the change that takes away what nobody needs: lists that are not open, and objects of
 * types that are kept in part that no list and no write has. Null: there is room for all.
 */
export function findUnneeded(
  replica: Replica,
  tables: readonly TypeTable[],
  { open, held, most = MOST_OBJECTS }: Needs,
): Change | null {
  const closed = [...replica.lists].filter(({ name }) => !open.has(name));
  const oldest = closed.length - MOST_LISTS;
  const dropped = closed.filter(
    ({ answered }, at) => at < oldest || answered.length > MOST_ANSWERED,
  );
  const lists = new Map(dropped.map(({ name }) => [name, null]));
  const objects = new Map<string, Map<string, null>>();
  for (const { name } of tables) {
    if (replica.coverage(name) !== 'known' || replica.count(name) <= most) continue;
    const kept = [...replica.lists].filter((list) => !lists.has(list.name));
    const listed = new Set(kept.flatMap(({ shown, ids }) => [...shown, ...ids]));
    const answered = kept.flatMap((list) => list.answered);
    const written = new Set([...replica.log.map(({ key }) => key), ...answered]);
    const gone = [...replica.baseRows(name)].filter(
      ({ id, $key }) => !listed.has(id) && !held.has(`${name} ${id}`) && !written.has($key),
    );
    if (gone.length > 0) objects.set(name, new Map(gone.map(({ id }) => [id, null])));
  }
  return lists.size + objects.size === 0 ? null : { lists, objects };
}
