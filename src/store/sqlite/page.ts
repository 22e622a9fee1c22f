import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryPage, WantedObjects } from '../port.js';
import type { Answer, Scope, WindowOf } from '../sql/engine.js';
import { name, raw, sql } from '../sql/fragment.js';
import { gatherer, type Row } from '../sql/objects.js';
import { numberOf, rowInText } from './instant.js';
import { readerOf } from './objects.js';
import { after, type Reader } from './reader.js';

/**
 * A page of a query's result with the state, and with the objects where they are wanted: one statement, which is
 * one snapshot without a transaction, too. Ids or rows come as one JSON text (instant.ts). The page is what is
 * joined, so no more rows are read whole than it has.
 */
export function readPage(
  { connection, accountId }: Scope<Reader>,
  type: DataTypeDefinition,
  compose: WindowOf,
  limit: number,
  wanted: WantedObjects | null,
): Answer<QueryPage> {
  const row = wanted && rowInText(type, wanted.properties, limit);
  const ids = compose(raw('"id"'));
  const state = sql`(SELECT "number" FROM "JmapState" WHERE "accountId" = ${accountId} AND "type" = ${type.table})`;
  if (row === null || wanted === null) {
    const statement = sql`SELECT ${state}, (SELECT json_group_array("id") FROM (${ids}))`;
    return after(connection.query(statement), ([found]) => ({
      number: numberOf(found?.[0]),
      ids: JSON.parse(found?.[1] as string) as readonly string[],
      found: null,
    }));
  }
  // CROSS JOIN: the page leads, in its order.
  const statement = sql`SELECT ${state}, (SELECT json_group_array(${raw(row)}) FROM (${ids}) AS "page"
 CROSS JOIN ${name(type.table)} AS "t" ON "t"."accountId" = ${accountId} AND "t"."id" = "page"."id")`;
  return after(connection.query(statement), ([found]) => {
    const rows = JSON.parse(found?.[1] as string) as readonly (Row | string)[];
    const number = numberOf(found?.[0]);
    if (!isWhole(rows)) return { number, ids: rows.map(idOf), found: null };
    const gathered = gatherer(readerOf(type, wanted.properties), wanted.maxOctets);
    for (const each of rows) gathered.take(each);
    return { number, ids: gathered.ids, found: gathered.found() };
  });
}

/** No row was too large for the text. */
function isWhole(rows: readonly (Row | string)[]): rows is readonly Row[] {
  return rows.every((row) => typeof row !== 'string');
}

function idOf(row: Row | string): string {
  return typeof row === 'string' ? row : (row[0] as string);
}
