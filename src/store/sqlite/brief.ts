import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type { FilterNode, QueryPlan } from '../port.js';
import { isOrderOfIds } from '../sql/order.js';
import { readsInOrder } from '../sql/query.js';
import { sqlite } from './dialect.js';

/**
 * Scans that end soon whatever they find: to ask for the time (tick.ts) would be two fifths of what they take.
 */

/**
 * What such a scan may take, ns, where each character has four octets: others wait below 50 ms for the worst one, too,
 * which was measured to take up to a quarter more. Rows that SQL put in are not counted, and a disk may be slow: a
 * statement that took long twice is no longer run where others wait (slice.ts), brief or not.
 */
export const LONGEST = 40_000_000;
/** What it takes at the most, ns, to step to a row ... */
const STEP = 100;
/** ... where each may be of another page than the one before: behind another index than the key, and by a number. */
const APART = { keyed: 1300, numbered: 2800 };
/** ... and for each character of its texts, since it goes on in other pages. */
const READING = 1.5;
const COMPARISON = 20;
/** To compare a character of a text, to search one ... */
const COMPARED = 2;
const SEARCHED = 4;
/** ... and for each character that is searched for: all but the last may be there, at each place. */
const REPEATED = 0.05;
/** To find that a row comes behind the few that are kept, and a character of what it is sorted by ... */
const BEHIND = { row: 200, character: 2 };
/** ... to put it among many, or to call a function for it (`i;ascii-numeric`). */
const AMONG = { row: 1000, character: 20 };
/** Rows that are few. */
const FEW = 1000;

/**
 * What a scan takes at the most, ns, for each object whose texts, shadow columns counted, have so many characters
 * together. It grows evenly with them: of the average it is the average. `isNumbered`: of a table with a rowid, where
 * an account's rows are among those of others.
 */
export function boundOf(
  type: DataTypeDefinition,
  plan: QueryPlan,
  kept: number,
  characters: number,
  isNumbered = false,
): number {
  const { filter } = plan;
  const found = STEP + costOfPlace(plan, isNumbered);
  const row = found + characters * READING + costOf(filter, type, characters);
  return row + costOfOrder(plan, type, kept, characters);
}

/** Of going to a row, ns, that need not be beside the one before. */
function costOfPlace(plan: QueryPlan, isNumbered: boolean): number {
  if (isNumbered) return APART.numbered;
  return isByKey(plan) || !readsInOrder(plan, sqlite) ? 0 : APART.keyed;
}

function isByKey({ sort }: QueryPlan): boolean {
  return sort.length === 0 || isOrderOfIds(sort);
}

/** Of one row, ns. */
function costOf(node: FilterNode, type: DataTypeDefinition, characters: number): number {
  if (node.kind === 'operator') {
    return node.conditions.reduce((sum, next) => sum + costOf(next, type, characters), 0);
  }
  if (node.kind !== 'condition') return 0;
  const { filter, value } = node;
  const { operator, property } = filter;
  const length = lengthOf(property, type, characters);
  switch (operator) {
    case 'contains':
    case 'startsWith':
      return COMPARISON + costOfSearch(length, String(value));
    // Each word may be searched for in each column, which together have so many characters.
    case 'text': {
      const words = String(value).split(/\s+/u);
      return words.reduce((sum, word) => sum + COMPARISON + costOfSearch(characters, word), 0);
    }
    // Of what is JSON there is no bound.
    case 'hasKey':
    case 'hasItem':
      return Number.POSITIVE_INFINITY;
    default: {
      const values = Array.isArray(value) ? value.length : 1;
      return values * COMPARISON + (property.kind === 'string' ? length * COMPARED : 0);
    }
  }
}

function costOfSearch(length: number, needle: string): number {
  return length * (SEARCHED + needle.length * REPEATED);
}

/** Of putting a row in order, ns: none by the id, or by an index that has the whole order. */
function costOfOrder(
  plan: QueryPlan,
  type: DataTypeDefinition,
  kept: number,
  characters: number,
): number {
  const { sort } = plan;
  if (isByKey(plan) || (sort.length === 1 && readsInOrder(plan, sqlite))) return 0;
  return sort.reduce((sum, { collation, sort: { property: by, casemapColumn } }) => {
    // A collation's key stands in the shadow column, or is made for each row.
    const isMade = collation.startsWith('i;ascii') || casemapColumn === undefined;
    const isText = by.kind === 'string';
    const { row, character } = kept > FEW || (isText && isMade) ? AMONG : BEHIND;
    return sum + row + (isText ? lengthOf(by, type, characters) * character : 0);
  }, 0);
}

/** The longest that a text may be: the row has it once more in each shadow column. */
function lengthOf(
  property: PropertyDefinition,
  { shadows }: DataTypeDefinition,
  characters: number,
): number {
  return characters / (1 + shadows.filter((shadow) => shadow.property === property).length);
}
