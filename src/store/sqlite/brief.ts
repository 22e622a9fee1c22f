import type { DataTypeDefinition } from '../../capability/definition.js';
import type { FilterNode, QueryPage } from '../port.js';
import type { Dialect } from '../sql/dialect.js';
import { sqlite, sqliteBriefly } from './dialect.js';
import type { SizedPage } from './page.js';

/**
 * Scans that end soon whatever they find: to ask for the time (tick.ts) would be two fifths of what they take.
 */

/** What such a scan may take, ns, where each text is as long as it may be. Most take a tenth of that. */
const LONGEST = 25_000_000;
/** What it takes at the most, ns, to step to a row, to compare a value, to search a character of a text. */
const STEP = 100;
const COMPARISON = 20;
const CHARACTER = 1;

/** Accounts that are remembered. */
const LIMIT = 1000;

/** How many objects of a type an account has, as of the last read that told it. */
export class Sizes {
  /** By account, then by table. */
  readonly #known = new Map<string, Map<string, number>>();

  /** In what a scan of its objects is composed. */
  dialectOf(accountId: string, type: DataTypeDefinition, filter: FilterNode): Dialect {
    const objects = this.#known.get(accountId)?.get(type.table);
    return objects !== undefined && isBrief(type, filter, objects) ? sqliteBriefly : sqlite;
  }

  /** Keeps what a page tells of the account beside what was asked for. */
  note(accountId: string, table: string, { objects, ...page }: SizedPage): QueryPage {
    let known = this.#known.get(accountId);
    if (known === undefined) {
      if (this.#known.size >= LIMIT) this.#known.clear();
      known = new Map();
      this.#known.set(accountId, known);
    }
    known.set(table, objects);
    return page;
  }

  /** The account has been written to. */
  forget(accountId: string): void {
    this.#known.delete(accountId);
  }
}

/** Whether a scan of so many objects is brief. Of a type whose rows have no bound, none is. */
export function isBrief(
  { characters }: DataTypeDefinition,
  filter: FilterNode,
  objects: number,
): boolean {
  if (characters === undefined) return false;
  return objects * (STEP + costOf(filter, characters)) <= LONGEST;
}

/** Of one row, ns. */
function costOf(node: FilterNode, characters: number): number {
  if (node.kind === 'operator') {
    return node.conditions.reduce((sum, next) => sum + costOf(next, characters), 0);
  }
  if (node.kind !== 'condition') return 0;
  const { operator } = node.filter;
  const search = COMPARISON + characters * CHARACTER;
  switch (operator) {
    case 'contains':
    case 'startsWith':
      return search;
    // Each word may be searched for in each column, which together have so many characters.
    case 'text':
      return String(node.value).split(/\s+/u).length * search;
    // Of what is JSON there is no bound.
    case 'hasKey':
    case 'hasItem':
      return Number.POSITIVE_INFINITY;
    default:
      return COMPARISON * (Array.isArray(node.value) ? node.value.length : 1);
  }
}
