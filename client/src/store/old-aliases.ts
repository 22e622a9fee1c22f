import { isJsonObject } from '../../../src/protocol/json.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';

/** How long an object that was made here is found by its key, in milliseconds: 30 days. */
const LIFE = 30 * 24 * 60 * 60_000;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Returns the changes that take old keys out of a store, or it would grow for ever. The objects
 * have their ids for keys from then on, so this is for the start of a client, when nothing is on
 * screen. A key stays where a write, a problem or an upload names it. Others stay for some time,
 * since links may have them, and other tabs: a tab that is open for longer puts the key back with
 * each write that names it.
 */
export async function findOldAliases(store: OpenStore): Promise<readonly RowChange[]> {
  const now = Date.now();
  const aliases = await store.load('aliases');
  const old = aliases.filter(
    ([, alias]) => now - readTime(isJsonObject(alias) && alias['at']) > LIFE,
  );
  if (old.length === 0) return [];
  const rows = await Promise.all([
    store.load('log'),
    store.load('meta', 'problem '),
    store.load('meta', 'upload '),
  ]);
  const named = new Set(JSON.stringify(rows).match(UUID));
  const gone = old.filter(([key]) => !named.has(key.match(UUID)?.at(-1) ?? ''));
  return gone.map(([key]) => ({ table: 'aliases', key }));
}

function readTime(at: unknown): number {
  return typeof at === 'number' ? at : 0;
}
