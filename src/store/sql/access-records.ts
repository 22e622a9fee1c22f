import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { ownScopesOf } from '../../capability/own-scopes.js';
import { ACCESS_KIND, NO_OBJECT, principalScope } from '../../capability/scopes.js';
import { hasUserValues } from '../../capability/user-values.js';
import type {
  AccessChange,
  AnyRecordAt,
  NewChange,
  NewScopes,
  ScopedObject,
  View,
} from '../port.js';
import type { RecordsToWrite } from './engine-port.js';
import { CHANGE_KINDS, changedColumns, changesOf, groupText, growth } from './records.js';
import type { Row } from './row-codec.js';

/** Rows of types with access rules: their change records, and the scopes of their objects. */

/**
 * Returns the records of changes as rows `[objectId, kind, properties, scopes, scopesBefore]`. Of
 * an object that is destroyed `properties` has the group.
 */
export function scopedRecords(
  changes: readonly NewChange[],
  properties: readonly PropertyDefinition[] | null,
): Pick<RecordsToWrite, 'rows' | 'count' | 'growth'> {
  const columns = changedColumns(properties);
  const rows = changes.map((change) => {
    const { objectId, kind, scopes, properties: own } = change;
    const changed = own === undefined ? columns : changedColumns(own);
    const text = kind === 'updated' ? changed : groupText(change);
    const before = scopes?.before ?? null;
    return [objectId, CHANGE_KINDS[kind].number, text, scopes?.after ?? [], before];
  });
  return { rows: JSON.stringify(rows), count: rows.length, growth: growth(changes) };
}

/** Returns the same of one record of changes of access. */
export function accessRecord(
  changes: readonly AccessChange[],
): Pick<RecordsToWrite, 'rows' | 'count' | 'growth'> {
  return { rows: JSON.stringify([['', ACCESS_KIND, null, changes, null]]), count: 1, growth: 0 };
}

/** Reads records of columns `number, objectId, kind, at, properties, scopes, scopesBefore`. */
export function viewRecordsOf(
  type: DataTypeDefinition,
  rows: readonly Row[],
): readonly AnyRecordAt[] {
  return changesOf(type, rows).map(({ number, objectId, kind, at, properties }, index) => {
    const [scopes, scopesBefore] = (rows[index] ?? []).slice(5).map(listIn);
    if (kind === 'access') {
      return { number, at, kind, changes: (scopes ?? []) as readonly AccessChange[] };
    }
    if (kind === 'own') {
      const own = { number, at, kind, objectId, properties };
      return { ...own, scopes: (scopes ?? []) as readonly string[] };
    }
    return {
      ...{ number, at, kind, objectId, properties },
      scopes: (scopes ?? []) as readonly string[],
      scopesBefore: (scopesBefore ?? null) as readonly string[] | null,
    };
  });
}

function listIn(text: unknown): unknown {
  return text === null ? null : (JSON.parse(text as string) as unknown);
}

/**
 * Returns the scopes that records concern, each with the number of the last one. The rows are
 * `[number, at, objectId, kind, scopes, scopesBefore]`.
 */
export function prunedScopes(
  rows: readonly Row[],
): readonly (readonly [scope: string, number: number])[] {
  const last = new Map<string, number>();
  for (const [number, , , kind, ...lists] of rows) {
    const [after, before] = lists.map(listIn);
    const scopes =
      kind === ACCESS_KIND
        ? principalsIn((after ?? []) as readonly AccessChange[])
        : [after ?? [], before ?? []].flat();
    for (const scope of scopes as readonly string[]) last.set(scope, number as number);
  }
  return [...last];
}

/** Returns the scopes of the principals whose access changes. */
function principalsIn(changes: readonly AccessChange[]): readonly string[] {
  const ids = changes.map(({ principalId, memberId }) => memberId ?? principalId);
  return [...new Set(ids)].map(principalScope);
}

/** A row of JmapScope without its account and type; `gone` is 0 or 1. */
type ScopeRow = readonly [objectId: string, scope: string, number: number, gone: number];

/**
 * Returns the rows of scopes that changes leave, as JSON. `state`: the number of the last change.
 */
export function scopeRows(changes: readonly NewChange[], state: number): string {
  const first = state - changes.length + 1;
  return rowsOf(
    changes.flatMap(({ objectId, scopes }, index) =>
      scopes === undefined ? [] : { objectId, scopes, number: first + index },
    ),
  );
}

/** Returns the rows of scopes that objects get without a change record. */
export function rewrittenRows(scopes: ReadonlyMap<string, NewScopes>): string {
  return rowsOf([...scopes].map(([objectId, own]) => ({ objectId, scopes: own, number: 0 })));
}

interface NumberedScopes {
  readonly objectId: string;
  readonly scopes: NewScopes;
  /** Of the change record; 0 for none. */
  readonly number: number;
}

function rowsOf(changes: readonly NumberedScopes[]): string {
  const rows = new Map<string, ScopeRow>();
  for (const { objectId, scopes, number } of changes) {
    for (const scope of scopes.before ?? []) {
      rows.set(`${objectId} ${scope}`, [objectId, scope, number, 1]);
    }
    for (const scope of scopes.after) {
      rows.set(`${objectId} ${scope}`, [objectId, scope, number, 0]);
    }
  }
  return JSON.stringify([...rows.values()]);
}

/**
 * Returns the rows by which the views of principals know that their access changed: those of no
 * object, which is gone.
 */
export function accessRows(changes: readonly AccessChange[], state: number): string {
  return JSON.stringify(principalsIn(changes).map((scope) => [NO_OBJECT, scope, state, 1]));
}

/** Returns the scopes of a view that no share gives, and no group. */
export function ownScopes(view: Pick<View, 'userId' | 'scopes'>): readonly string[] {
  return [...new Set([...view.scopes, principalScope(view.userId)])];
}

/** Returns the same with those by which a view knows changes of its user's own values. */
export function countedScopes(type: DataTypeDefinition, view: View): readonly string[] {
  const scopes = ownScopes(view);
  return hasUserValues(type) ? [...new Set([...scopes, ...ownScopesOf(view)])] : scopes;
}

/** Reads objects of columns `objectId, scope`, which are in order of objects. */
export function scopedObjectsOf(rows: readonly Row[]): readonly ScopedObject[] {
  const scopes = new Map<string, string[]>();
  for (const [id, scope] of rows as readonly (readonly [string, string])[]) {
    const known = scopes.get(id);
    if (known === undefined) scopes.set(id, [scope]);
    else known.push(scope);
  }
  return [...scopes].map(([id, own]) => ({ id, scopes: own }));
}
