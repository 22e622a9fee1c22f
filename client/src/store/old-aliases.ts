import type { OpenStore, Change as RowChange, StoredRow } from '../persist/port.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Returns the changes that take old keys out of a store, or it would grow for ever. The objects
 * have their ids for keys from then on, so this is for the start of a client, when nothing is on
 * screen. A key stays where a write, a problem or an upload names it: a tab that is open for longer
 * puts the key back with each write that names it.
 */
export async function findUnused(
  store: OpenStore,
  old: readonly StoredRow[],
): Promise<readonly RowChange[]> {
  const rows = await Promise.all([
    store.load('log'),
    store.load('meta', 'problem '),
    store.load('meta', 'upload '),
  ]);
  const named = new Set(JSON.stringify(rows).match(UUID));
  const gone = old.filter(([key]) => !named.has(key.match(UUID)?.at(-1) ?? ''));
  return gone.map(([key]) => ({ table: 'aliases', key }));
}
