import type { DataTypeDefinition } from '../../capability/definition.js';
import type { FilterNode } from '../port.js';
import type { Dialect } from './dialect.js';
import { type ComposedFilter, composeFilter } from './filter.js';
import type { SqlValue } from './fragment.js';

interface Kept {
  readonly type: DataTypeDefinition;
  readonly accountId: SqlValue;
  readonly dialect: Dialect;
  readonly leads: boolean;
  readonly composed: ComposedFilter;
}

/** What was composed last of a filter, which may have thousands of conditions. */
const kept = new WeakMap<FilterNode, Kept>();

/** `composeFilter`, once for all statements of a call, and for those that are begun anew elsewhere. */
export function composedFilter(
  type: DataTypeDefinition,
  accountId: SqlValue,
  filter: FilterNode,
  dialect: Dialect,
  leads = false,
): ComposedFilter {
  const last = kept.get(filter);
  if (
    last?.dialect === dialect &&
    last.leads === leads &&
    last.type === type &&
    last.accountId === accountId
  ) {
    return last.composed;
  }
  const composed = composeFilter(type, accountId, filter, dialect, leads);
  // Nothing to compose, and one object for all who ask for everything.
  if (filter.kind !== 'all') kept.set(filter, { type, accountId, dialect, leads, composed });
  return composed;
}
