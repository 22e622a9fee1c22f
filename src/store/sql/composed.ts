import type { FilterNode } from '../port.js';
import type { Composing } from './dialect.js';
import { type ComposedFilter, composeFilter } from './filter.js';

interface Kept {
  readonly on: Composing;
  readonly leads: boolean;
  readonly composed: ComposedFilter;
}

/** What was composed last of a filter, which may have thousands of conditions. */
const kept = new WeakMap<FilterNode, Kept>();

/** `composeFilter`, once for all statements of a call, and for those that are begun anew elsewhere. */
export function composedFilter(on: Composing, filter: FilterNode, leads = false): ComposedFilter {
  const last = kept.get(filter);
  if (last?.leads === leads && isSame(last.on, on)) return last.composed;
  const composed = composeFilter(on, filter, leads);
  // Nothing to compose, and one object for all who ask for everything.
  if (filter.kind !== 'all') kept.set(filter, { on, leads, composed });
  return composed;
}

function isSame(a: Composing, b: Composing): boolean {
  return a.dialect === b.dialect && a.type === b.type && a.accountId === b.accountId;
}
