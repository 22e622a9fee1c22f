import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryPage, WantedObjects } from '../port.js';
import type { Answer, Scope, WindowOf } from '../sql/engine.js';
import { type Fragment, raw, sql } from '../sql/fragment.js';
import { gatherer, type Row } from '../sql/objects.js';
import { readerOf } from './objects.js';
import { after, type Reader } from './reader.js';
import { idOf, isWhole, numberOf, rowInText, type TextRow } from './state-reads.js';

/** With how many objects the account has of the type. */
export interface SizedPage extends QueryPage {
  readonly objects: number;
}

/** States of the account's type, both included. */
export interface States {
  readonly from: number;
  readonly until: number;
}

/**
 * A page of a query's result with the state, and with the objects where they are wanted: one statement, which is
 * one snapshot without a transaction, too. Ids or rows come as one JSON text (instant.ts). A row's text is made
 * where the row is found: SQLite makes none of what a page leaves out, whether it sorts or not.
 */
export function readPage(
  scope: Scope<Reader>,
  type: DataTypeDefinition,
  compose: WindowOf,
  limit: number,
  wanted: WantedObjects | null,
): Answer<SizedPage> {
  return after(found(scope, type, compose, limit, wanted, null), (row) =>
    pageOf(row, type, limit, wanted),
  );
}

/** The same, but null, and nothing read, where the account is in none of these states. */
export function readPageIn(
  states: States,
  ...query: Parameters<typeof readPage>
): Answer<SizedPage | null> {
  const [, type, , limit, wanted] = query;
  return after(found(...query, states), (row) => {
    const number = numberOf(row?.[0]);
    if (number < states.from || number > states.until) return null;
    return pageOf(row, type, limit, wanted);
  });
}

function found(
  { connection, accountId }: Scope<Reader>,
  type: DataTypeDefinition,
  compose: WindowOf,
  limit: number,
  wanted: WantedObjects | null,
  states: States | null,
): Answer<Row | undefined> {
  const row = rowOf(type, limit, wanted);
  const page = compose(raw(`${row ?? 'json_quote("id")'} AS "row"`));
  const statement = withState(page, accountId, type.table, states);
  return after(connection.query(statement), ([first]) => first);
}

function pageOf(
  row: Row | undefined,
  type: DataTypeDefinition,
  limit: number,
  wanted: WantedObjects | null,
): SizedPage {
  const number = numberOf(row?.[0]);
  const objects = numberOf(row?.[1]);
  const found = JSON.parse(`[${(row?.[2] as string | null) ?? ''}]`) as unknown;
  if (wanted === null || rowOf(type, limit, wanted) === null) {
    return { number, objects, ids: found as readonly string[], found: null };
  }
  const rows = found as readonly TextRow[];
  if (!isWhole(rows)) return { number, objects, ids: rows.map(idOf), found: null };
  const gathered = gatherer(readerOf(type, wanted.properties), wanted.maxOctets);
  for (const each of rows) gathered.take(each);
  return { number, objects, ids: gathered.ids, found: gathered.found() };
}

function rowOf(
  type: DataTypeDefinition,
  limit: number,
  wanted: WantedObjects | null,
): string | null {
  return wanted && rowInText(type, wanted.properties, limit);
}

/** Of pages that recur: what a page becomes with its state, and where it is read in some states alone. */
const whole = new WeakMap<Fragment['texts'], Fragment['texts']>();
const guarded = new WeakMap<Fragment['texts'], Fragment['texts']>();

/** One row `[state, number of objects, rows of the page]`. */
function withState(
  page: Fragment,
  accountId: string,
  table: string,
  states: States | null,
): Fragment {
  const known = states === null ? whole : guarded;
  const texts = page.recurs === true ? known.get(page.texts) : undefined;
  if (texts !== undefined) {
    const bounds = states === null ? [] : [states.from, states.until];
    return { texts, values: [...bounds, ...page.values, accountId, table], recurs: true };
  }
  const rows = sql`(SELECT group_concat("row", ',') FROM (${page}))`;
  const read =
    states === null
      ? rows
      : sql`CASE WHEN "number" BETWEEN ${states.from} AND ${states.until} THEN ${rows} END`;
  const statement = sql`SELECT "number", "objects", ${read}
 FROM (SELECT 1) LEFT JOIN "JmapState" ON "accountId" = ${accountId} AND "type" = ${table}`;
  if (page.recurs !== true) return statement;
  known.set(page.texts, statement.texts);
  return { ...statement, recurs: true };
}
