import type { ReferenceRecord } from '../port.js';
import type { Dialect } from './dialect.js';
import type { ReadingEngine, WritingEngine } from './engine.js';
import { REFERENCE_COLUMNS, referenceOf, referenceRows } from './records.js';
import { type TableReader, type TableWriter, tableText } from './table-text.js';

/** Rows of JmapReference. */

const VALUES = `value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM ROWS(?)`;

const DELETE = `DELETE FROM "JmapReference" WHERE "accountId" = ?
 AND (${REFERENCE_COLUMNS}) IN (SELECT ${VALUES})`;

const INSERT = `INSERT INTO "JmapReference" ("accountId", ${REFERENCE_COLUMNS})
 SELECT CAST(? AS TEXT), ${VALUES} WHERE TRUE ON CONFLICT DO NOTHING`;

const OWN = `SELECT ${REFERENCE_COLUMNS} FROM "JmapReference"
 WHERE "accountId" = ? AND "fromType" = ? AND "property" IN ? AND "fromId" IN ?`;

/** Walks that each database has to be led through in its own way. */
export interface ReferenceWalks {
  /** Of roots, account, properties that lead on; account, properties that are references, limit. */
  readonly referrers: string;
  /** Of ids; twice account, type, property; limit. */
  readonly ancestors: string;
}

type Reads = Pick<ReadingEngine<TableReader>, 'referrers' | 'ancestors' | 'ownReferences'>;

/** One statement each. */
export function readReferenceTable(dialect: Dialect, walks: ReferenceWalks): Reads {
  const referrers = tableText(dialect, walks.referrers);
  const ancestors = tableText(dialect, walks.ancestors);
  const own = tableText(dialect, OWN);
  return {
    async referrers({ connection, accountId }, targets, { all, through }, limit) {
      const roots = targets.flatMap(({ type, ids }) => ids.map((id) => [type, id]));
      const closure = [JSON.stringify(roots), accountId, JSON.stringify(through)];
      const shown = [accountId, JSON.stringify(all), limit + 1];
      return (await connection.all(referrers, ...closure, ...shown)).map(referenceOf);
    },

    async ancestors({ connection, accountId }, { table, column }, ids, limit) {
      const of = [accountId, table, column];
      const list = JSON.stringify(ids);
      return (await connection.all(ancestors, list, ...of, ...of, limit + 1)).map(referenceOf);
    },

    async ownReferences({ connection, accountId }, table, columns, ids) {
      const lists = [JSON.stringify(columns), JSON.stringify(ids)];
      return (await connection.all(own, accountId, table, ...lists)).map(referenceOf);
    },
  };
}

/** At most two statements, both asked for at once: the work can't end between them. */
export function writeReferenceTable(
  dialect: Dialect,
): Pick<WritingEngine<TableWriter>, 'changeReferences'> {
  const remove = tableText(dialect, DELETE);
  const add = tableText(dialect, INSERT);
  return {
    async changeReferences({ connection, accountId }, removed, added): Promise<void> {
      const writes: Promise<void>[] = [];
      const change = (text: string, records: readonly ReferenceRecord[]): void => {
        if (records.length > 0)
          writes.push(connection.write(text, accountId, referenceRows(records)));
      };
      change(remove, removed);
      change(add, added);
      await Promise.all(writes);
    },
  };
}
