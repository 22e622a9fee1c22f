import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryPage, WantedObjects } from '../port.js';
import type { Answer, Scope, WindowOf } from '../sql/engine.js';
import { raw, sql } from '../sql/fragment.js';
import { gatherer } from '../sql/objects.js';
import { idOf, isWhole, numberOf, rowInText, type TextRow } from './instant.js';
import { readerOf } from './objects.js';
import { after, type Reader } from './reader.js';

/** With how many objects the account has of the type. */
export interface SizedPage extends QueryPage {
  readonly objects: number;
}

/**
 * A page of a query's result with the state, and with the objects where they are wanted: one statement, which is
 * one snapshot without a transaction, too. Ids or rows come as one JSON text (instant.ts). A row's text is made
 * where the row is found: SQLite makes none of what a page leaves out, whether it sorts or not.
 */
export function readPage(
  { connection, accountId }: Scope<Reader>,
  type: DataTypeDefinition,
  compose: WindowOf,
  limit: number,
  wanted: WantedObjects | null,
): Answer<SizedPage> {
  const row = wanted && rowInText(type, wanted.properties, limit);
  const page = compose(raw(`${row ?? 'json_quote("id")'} AS "row"`));
  const statement = sql`SELECT "number", "objects", (SELECT group_concat("row", ',') FROM (${page}))
 FROM (SELECT 1) LEFT JOIN "JmapState" ON "accountId" = ${accountId} AND "type" = ${type.table}`;
  return after(connection.query(statement), ([found]) => {
    const number = numberOf(found?.[0]);
    const objects = numberOf(found?.[1]);
    const rows = JSON.parse(`[${(found?.[2] as string | null) ?? ''}]`) as readonly TextRow[];
    if (row === null || wanted === null || !isWhole(rows)) {
      return { number, objects, ids: rows.map(idOf), found: null };
    }
    const gathered = gatherer(readerOf(type, wanted.properties), wanted.maxOctets);
    for (const each of rows) gathered.take(each);
    return { number, objects, ids: gathered.ids, found: gathered.found() };
  });
}
