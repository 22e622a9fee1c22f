import type { QueryChangesAnswer } from '../support/client.js';
import type { Country } from './records.js';

export type Order = (a: Country, b: Country) => number;

/** The ids in the order of these comparators; ties go by id. */
export function sortedIds(countries: Iterable<Country>, order: Order, ascending = true): string[] {
  const direction = ascending ? 1 : -1;
  const total: Order = (a, b) => direction * (order(a, b) || byText(a.id, b.id));
  return [...countries].sort(total).map(({ id }) => id);
}

export const byArea: Order = (a, b) => a.area - b.area;
/** RFC 5051 by the language's own functions: fine where a letter's title case is one letter. */
export const byName: Order = (a, b) => byText(casemap(a.name), casemap(b.name));
export const byCode: Order = (a, b) => byText(a.code, b.code);

/** Latin letters alone are in these names: code units and code points have one order. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function casemap(text: string): string {
  return text.toUpperCase().normalize('NFKD');
}

/** RFC 8620 5.6: a client's list of ids after a /queryChanges response. */
export function splice(ids: readonly string[], changes: QueryChangesAnswer): string[] {
  const removed = new Set(changes.removed);
  const result = ids.filter((id) => !removed.has(id));
  for (const { id, index } of changes.added) result.splice(index, 0, id);
  return result;
}
