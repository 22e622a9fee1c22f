import { clientNames } from '../client-names.js';
import { type Migration, MigrationError, splitSql } from '../migrations.js';
import { quote } from '../quote.js';
import type { PoolClient } from './pool.js';

/**
 * Text stored while its property allowed more may be too long for a new ordered index
 * (indexed-text.ts). PostgreSQL would say so only after the migration's transaction, again and
 * again, and would name neither object nor account.
 */

/** Octets of an entry, and what its head and each value's length and alignment take at most. */
const ROOM = 2_704;
const OVERHEAD = 8;

/** `program_limit_exceeded`. */
const LIMIT_EXCEEDED = '54000';

/** How many objects the message names; one more is asked for, to say that there are more. */
const NAMED = 3;

interface OrderedIndex {
  readonly table: string;
  /** The columns indexed as they are, with the ids of account and object. */
  readonly columns: readonly string[];
}

type LongEntry = readonly [accountId: string, id: string, octets: string];

/**
 * Throws MigrationError, in the migration's transaction, where an index of its can't hold a row.
 */
export async function requireShortEntries(
  client: PoolClient,
  { name, folder, sql }: Migration,
): Promise<void> {
  for (const statement of splitSql(sql).outside) {
    const found = await findLongEntries(client, statement, folder);
    if (found !== undefined)
      throw new MigrationError(
        `The migration ${name} ${found} Shorten them with the previous version, then migrate ` +
          'again. Nothing of this migration was applied.',
      );
  }
}

/**
 * Explains the same of an index that could not be made: the previous version may have written
 * since.
 */
export async function explainLongEntries(
  client: PoolClient,
  { name, folder }: Pick<Migration, 'name' | 'folder'>,
  statement: string,
  cause: unknown,
): Promise<never> {
  if (!(cause instanceof Error && 'code' in cause && cause.code === LIMIT_EXCEEDED)) throw cause;
  const found = await findLongEntries(client, statement, folder);
  if (found === undefined) throw cause;
  throw new MigrationError(
    `The migration ${name} ${found} Shorten them with the version that wrote them, stop it, and ` +
      'migrate again: all but this index is there.',
    { cause },
  );
}

/** Returns the end of a sentence about values too long for the index that `statement` makes. */
async function findLongEntries(
  client: PoolClient,
  statement: string,
  folder: string,
): Promise<string | undefined> {
  const index = orderedIndex(statement);
  if (index === undefined) return undefined;
  const { table, columns } = index;
  const { rows: typed } = await client.query<{ name: string }>(
    `SELECT "attname" AS "name" FROM pg_attribute
     WHERE "attrelid" = to_regclass(quote_ident($1)) AND "attname" = ANY ($2)
     AND "atttypid" = 'text'::regtype`,
    [table, [...columns, ...KEY]],
  );
  const names = new Set(typed.map(({ name }) => name));
  // The engine's own tables hold short texts alone.
  if (!KEY.every((name) => names.has(name))) return undefined;
  const texts = columns.filter((name) => names.has(name));
  const propertyColumns = texts.filter((name) => !KEY.includes(name));
  if (propertyColumns.length === 0) return undefined;
  const octets = texts.map((name) => `coalesce(octet_length(${quote(name)}), 0)`).join(' + ');
  const { rows } = await client.query<unknown[] & LongEntry>({
    text: `SELECT "accountId", "id", "octets"::text FROM (
             SELECT "accountId", "id", ${octets} AS "octets" FROM ${quote(table)}
           ) AS "entries" WHERE "octets" > $1 ORDER BY "accountId", "id" LIMIT $2`,
    values: [ROOM - OVERHEAD * (columns.length + 1), NAMED + 1],
    rowMode: 'array',
  });
  if (rows.length === 0) return undefined;
  const examples = rows
    .slice(0, NAMED)
    .map(([accountId, id, size]) => `${id} in account ${accountId} (${size} octets)`);
  const more = rows.length > NAMED ? '; and more' : '';
  const schemaNames = clientNames(folder);
  const properties = propertyColumns.map(
    (name) => `${schemaNames.type(table)}.${schemaNames.property(table, name)}`,
  );
  return (
    `makes an ordered index over ${properties.join(', ')}, in which PostgreSQL ` +
    `has room for ${ROOM} octets, and objects have longer values: ${examples.join('; ')}${more}.`
  );
}

/** The key of a table with objects. */
const KEY: readonly string[] = ['accountId', 'id'];

const ORDERED = /^CREATE INDEX CONCURRENTLY "[^"]+" ON "([^"]+)"\((.*)\);?$/s;

function orderedIndex(statement: string): OrderedIndex | undefined {
  const [, table, list = ''] = ORDERED.exec(statement.trim()) ?? [];
  if (table === undefined) return undefined;
  const columns = list
    .split(', ')
    .flatMap((column) => /^"([^"]+)"(?: NULLS FIRST)?$/.exec(column)?.[1] ?? []);
  return { table, columns };
}
