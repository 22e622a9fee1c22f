import type { Database } from 'better-sqlite3';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryPage, QueryPlan } from '../port.js';
import { name, quote, raw, sql } from '../sql/fragment.js';
import { readsInOrder } from '../sql/query.js';
import { boundOf, LONGEST } from './brief.js';
import { sqlite } from './dialect.js';
import type { SizedPage, States } from './page.js';
import type { Reader } from './reader.js';
import { numberOf } from './state-reads.js';

/** Accounts that are remembered. */
const LIMIT = 1000;
/** After so long, ms, a table is measured again: what is written all the time must not cost two scans for each. */
const PAUSE = 10_000;

/** What an account holds of a type, in one of its states. */
export interface Extent {
  readonly number: number;
  readonly objects: number;
  /** Of all its texts, shadow columns counted: as many characters, or more. */
  readonly octets: number;
}

interface Known extends Extent {
  /** When the table was measured last, ms. */
  readonly measured: number | null;
  /** It was what the table held; otherwise each text is taken to be as long as it may be. */
  readonly isExact: boolean;
}

/** Reads an extent where it keeps nobody waiting. */
export type Measure = (accountId: string, type: DataTypeDefinition) => Promise<Extent>;

/**
 * What scans of accounts may take at the most: by what their tables were measured to hold in some state, and, since
 * each change moves the state by one, by the longest that what was written since may be, whichever process wrote it.
 */
export class Extents {
  /** By account, then by table. */
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #measuring = new Set<string>();
  readonly #numbered: ReadonlySet<string>;
  #measure: Measure | null = null;

  /** `numbered`: tables with a rowid. */
  constructor(numbered: ReadonlySet<string> = new Set()) {
    this.#numbered = numbered;
  }

  /** Without it, texts are taken to be as long as they may be. */
  measureBy(measure: Measure): void {
    this.#measure = measure;
  }

  /** In which states such a scan, which keeps so many rows in order, is brief; null: in none that is known. */
  statesOf(
    accountId: string,
    type: DataTypeDefinition,
    plan: QueryPlan,
    kept: number,
  ): States | null {
    const known = this.#known.get(accountId)?.get(type.table);
    const { characters } = type;
    if (known === undefined || characters === undefined) return null;
    const left = LONGEST - this.#boundOfAll(type, plan, kept, known);
    if (!(left >= 0)) return null;
    const written = Math.floor(left / this.#boundOf(type, plan, kept, characters));
    return { from: known.number, until: known.number + written };
  }

  /** Keeps what a page tells of the account beside what was asked for. */
  note(accountId: string, type: DataTypeDefinition, { objects, ...page }: SizedPage): QueryPage {
    const { number } = page;
    const { table, characters = Number.POSITIVE_INFINITY } = type;
    const known = this.#known.get(accountId)?.get(table);
    const octets = objects * characters;
    const written = number - (known?.number ?? 0);
    const isBetter = (exact: Known): boolean =>
      written < 0 || (written > 0 && octets <= exact.octets + written * characters);
    if (known?.isExact !== true || isBetter(known)) {
      const measured = known?.measured ?? null;
      this.#keep(accountId, table, { number, objects, octets, measured, isExact: false });
    }
    return page;
  }

  /** Of what was not brief, and would be if the texts were short: for the next one. */
  wanted(accountId: string, type: DataTypeDefinition, plan: QueryPlan, kept: number): void {
    const known = this.#known.get(accountId)?.get(type.table);
    if (this.#measure === null || known === undefined || readsInOrder(plan, sqlite)) return;
    const { measured, objects, isExact } = known;
    if (measured !== null && performance.now() < measured + PAUSE) return;
    const least = isExact ? known : { objects, octets: 0 };
    const { characters } = type;
    if (characters === undefined || this.#boundOfAll(type, plan, kept, least) > LONGEST) return;
    const key = `${accountId} ${type.table}`;
    if (this.#measuring.has(key)) return;
    this.#measuring.add(key);
    this.#measure(accountId, type)
      .then((extent) => {
        // A character may have four octets.
        const octets = Math.min(extent.octets, extent.objects * characters);
        const exact = { ...extent, octets, measured: performance.now(), isExact: true };
        this.#keep(accountId, type.table, exact);
      })
      // Too many scans, or a thread that ended: the next one asks again.
      .catch(() => undefined)
      .finally(() => this.#measuring.delete(key));
  }

  /** ns. */
  #boundOfAll(
    type: DataTypeDefinition,
    plan: QueryPlan,
    kept: number,
    { objects, octets }: Pick<Extent, 'objects' | 'octets'>,
  ): number {
    return objects === 0 ? 0 : objects * this.#boundOf(type, plan, kept, octets / objects);
  }

  #boundOf(type: DataTypeDefinition, plan: QueryPlan, kept: number, characters: number): number {
    return boundOf(type, plan, kept, characters, this.#numbered.has(type.table));
  }

  #keep(accountId: string, table: string, extent: Known): void {
    let known = this.#known.get(accountId);
    if (known === undefined) {
      if (this.#known.size >= LIMIT) this.#known.clear();
      known = new Map();
      this.#known.set(accountId, known);
    }
    known.set(table, extent);
  }
}

/** Tables whose rows are found by a number, which their key only leads to. */
export function numberedTables(db: Database): ReadonlySet<string> {
  const tables = db.prepare<[], string>(
    `SELECT "name" FROM pragma_table_list WHERE "schema" = 'main' AND "type" = 'table' AND NOT "wr"`,
  );
  return new Set(tables.pluck(true).all());
}

/** Reads all rows, though of long ones not the texts: their lengths stand before them. One statement. */
export async function measureExtent(
  reader: Reader,
  accountId: string,
  { table, properties, shadows }: DataTypeDefinition,
): Promise<Extent> {
  const texts = properties.filter(({ kind, role }) => kind === 'string' && role !== 'id');
  const copies = shadows.filter(({ transform }) => transform !== 'instant');
  const columns = [...texts, ...copies].map(({ column }) => quote(column));
  const octets = columns.map((column) => `ifnull(octet_length(${column}), 0)`);
  const { tick, tickOfRows = tick, byKey = raw('TRUE') } = sqlite;
  const [row] = await reader.query(sql`SELECT "number", "objects", (SELECT
 sum(${raw(['0', ...octets].join(' + '))}) FROM ${name(table)}
 WHERE "accountId" = ${accountId} AND ${byKey} AND ${tickOfRows})
 FROM "JmapState" WHERE "accountId" = ${accountId} AND "type" = ${table}`);
  return {
    number: numberOf(row?.[0]),
    objects: numberOf(row?.[1]),
    octets: numberOf(row?.[2]),
  };
}
