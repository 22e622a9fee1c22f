import { principalScope } from '../capability/scopes.js';
import type { AnyRecordAt, View, ViewRecordAt } from '../store/port.js';

/**
 * Returns change records as the user of a view is told of them. A change of the user's own values
 * is an update of an object that the user sees. Those of others change nothing.
 */
export function recordsOfView(
  { userId }: Pick<View, 'userId'>,
  records: readonly AnyRecordAt[],
): readonly ViewRecordAt[] {
  const own = principalScope(userId);
  return records.map((record) => {
    if (record.kind !== 'own') return record;
    const { number, at } = record;
    if (!record.scopes.includes(own)) return { number, at, kind: 'access', changes: [] };
    return { ...record, kind: 'updated', scopes: [own], scopesBefore: null };
  });
}
