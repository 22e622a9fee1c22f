import type { ListNote } from '../store/list-notes.js';
import type { ServerList } from '../store/list-state.js';
import type { Replica } from '../store/replica.js';
import type { Match } from './filters.js';

/** A list of ids as far as it is known. */
export type KnownList = Pick<
  ServerList,
  'shown' | 'total' | 'length' | 'position' | 'isReplacing' | 'answered'
>;

/** Returns a list as it was shown last, as far as its rows are here and belong to it still. */
export function findNoted(
  { ids, total }: ListNote,
  type: string,
  replica: Replica,
  match: Match | null,
): KnownList {
  const shown = ids.filter((id) => {
    const row = replica.base(type, replica.keyOf(type, id));
    return row !== undefined && match?.(row) !== false;
  });
  const { length } = shown;
  return { shown, total, length, position: 0, isReplacing: true, answered: [] };
}
