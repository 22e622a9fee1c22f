import type { CollectionConfig } from '@tanstack/db';
import type { LiveQuery } from '../cache/cached-types.js';

interface Keyed {
  readonly $key: string;
}

/** The writes of a type that a collection makes: `me.Todo` has them. */
interface Writes {
  update?(id: never, edit: never): unknown;
  destroy?(id: never): unknown;
}

/**
 * Returns the options of a TanStack DB collection of the rows of a list. With the type, its objects
 * can be updated and deleted by way of the collection. The client keeps such writes, as it keeps
 * all others. Create objects by the type: it gives them their `$key`.
 */
export function makeCollectionOptions<Row extends Keyed>(
  list: LiveQuery<Row>,
  type: Writes = {},
): CollectionConfig<Row, string> {
  const { update, destroy } = type;
  return {
    getKey: (row) => row.$key,
    sync: { sync: (target) => follow(list, target), rowUpdateMode: 'full' },
    ...(update && {
      async onUpdate({ transaction }) {
        for (const { key, changes } of transaction.mutations) {
          const edit = (draft: object): void => void Object.assign(draft, changes);
          update(key as never, edit as never);
        }
      },
    }),
    ...(destroy && {
      async onDelete({ transaction }) {
        for (const { key } of transaction.mutations) destroy(key as never);
      },
    }),
  };
}

type Target<Row extends object> = Parameters<CollectionConfig<Row, string>['sync']['sync']>[0];

/** Brings a collection in step with a list, at once and after each change. */
function follow<Row extends Keyed>(list: LiveQuery<Row>, target: Target<Row>): () => void {
  const { begin, write, commit, markReady } = target;
  let shown = new Map<string, Row>();
  return list.subscribe(({ rows, status }) => {
    const next = new Map(rows.map((row) => [row.$key, row]));
    begin();
    for (const key of shown.keys()) if (!next.has(key)) write({ type: 'delete', key });
    for (const [key, value] of next) {
      const before = shown.get(key);
      if (before !== value) write({ type: before === undefined ? 'insert' : 'update', value });
    }
    commit();
    shown = next;
    if (status !== 'loading') markReady();
  });
}
