import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryPage, WantedObjects } from '../port.js';
import type { Scope, WindowOf } from '../sql/engine.js';
import { type Fragment, raw, sql } from '../sql/fragment.js';
import { gatherer } from '../sql/objects.js';
import { readerOf } from './objects.js';
import type { Reader } from './reader.js';
import { idOf, isWhole, numberOf, rowInText, type TextRow } from './state-reads.js';

/**
 * A page of a query's result with the state, and with the objects where they are wanted: one statement. Ids or rows
 * come as one JSON text (state-reads.ts). A row's text is made where the row is found: SQLite makes none of what a
 * page leaves out, whether it sorts or not.
 */
export async function readPage(
  { connection, accountId }: Scope<Reader>,
  type: DataTypeDefinition,
  compose: WindowOf,
  limit: number,
  wanted: WantedObjects | null,
): Promise<QueryPage> {
  const text = wanted && rowInText(type, wanted.properties, limit);
  const page = compose(raw(`${text ?? 'json_quote("id")'} AS "row"`));
  const [row] = await connection.query(withState(page, accountId, type.table));
  const number = numberOf(row?.[0]);
  const found = JSON.parse(`[${(row?.[1] as string | null) ?? ''}]`) as unknown;
  if (wanted === null || text === null) {
    return { number, ids: found as readonly string[], found: null };
  }
  const rows = found as readonly TextRow[];
  if (!isWhole(rows)) return { number, ids: rows.map(idOf), found: null };
  const gathered = gatherer(readerOf(type, wanted.properties), wanted.maxOctets);
  for (const each of rows) gathered.take(each);
  return { number, ids: gathered.ids, found: gathered.found() };
}

/** What a page becomes with its state, of pages that recur. */
const known = new WeakMap<Fragment['texts'], Fragment['texts']>();

/** One row `[state, rows of the page]`. */
function withState(page: Fragment, accountId: string, table: string): Fragment {
  const texts = page.recurs === true ? known.get(page.texts) : undefined;
  if (texts !== undefined) {
    return { texts, values: [...page.values, accountId, table], recurs: true };
  }
  const rows = sql`(SELECT group_concat("row", ',') FROM (${page}))`;
  const statement = sql`SELECT "number", ${rows}
 FROM (SELECT 1) LEFT JOIN "JmapState" ON "accountId" = ${accountId} AND "type" = ${table}`;
  if (page.recurs !== true) return statement;
  known.set(page.texts, statement.texts);
  return { ...statement, recurs: true };
}
