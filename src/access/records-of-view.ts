import { ownScopesOf } from '../capability/own-scopes.js';
import { principalScope, WHOLE } from '../capability/scopes.js';
import type { AnyRecordAt, ChangeKind, ScopedChange, View, ViewRecordAt } from '../store/port.js';
import { seesWhole } from './views.js';

/**
 * Returns change records as the user of a view is told of them. A change of the user's own values
 * is an update of an object that the user sees. Those of others change nothing, nor do changes of
 * access for a user who sees all. `tellsOwn`: false where only values count that all users share.
 */
export function recordsOfView(
  view: Pick<View, 'userId' | 'scopes'>,
  records: readonly AnyRecordAt[],
  tellsOwn = true,
): readonly ViewRecordAt[] {
  const own = new Set(ownScopesOf(view));
  const isWhole = seesWhole(view);
  return records.map((record) => {
    const { kind, number, at } = record;
    if (kind === 'access') return isWhole ? { number, at, kind, changes: [] } : record;
    if (kind !== 'own') return isWhole ? { ...record, ...WHOLE_SCOPES[kind] } : record;
    const isSeen = tellsOwn && record.scopes.some((scope) => own.has(scope));
    if (!isSeen) return { number, at, kind: 'access', changes: [] };
    const scopes = [principalScope(view.userId)];
    return { ...record, kind: 'updated', scopes, scopesBefore: null };
  });
}

/** A version without values of each user gave its records no scopes. */
const WHOLE_SCOPES = Object.freeze({
  created: { scopes: [WHOLE], scopesBefore: null },
  updated: { scopes: [WHOLE], scopesBefore: null },
  destroyed: { scopes: [], scopesBefore: [WHOLE] },
} satisfies Record<ChangeKind, Pick<ScopedChange, 'scopes' | 'scopesBefore'>>);
