import { principalScope } from '../capability/scopes.js';
import type { AnyRecordAt, View, ViewRecordAt } from '../store/port.js';
import { seesWhole } from './views.js';

/**
 * Returns change records as the user of a view is told of them. A change of the user's own values
 * is an update of an object that the user sees. Those of others change nothing, nor do changes of
 * access for a user who sees all.
 */
export function recordsOfView(
  view: Pick<View, 'userId' | 'scopes'>,
  records: readonly AnyRecordAt[],
): readonly ViewRecordAt[] {
  const own = principalScope(view.userId);
  const isWhole = seesWhole(view);
  return records.map((record) => {
    const { kind, number, at } = record;
    if (kind === 'access') return isWhole ? { number, at, kind, changes: [] } : record;
    if (kind !== 'own') return record;
    if (!record.scopes.includes(own)) return { number, at, kind: 'access', changes: [] };
    return { ...record, kind: 'updated', scopes: [own], scopesBefore: null };
  });
}
