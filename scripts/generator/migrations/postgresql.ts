import { OUTSIDE_MARK } from '../../../src/database/migrations.js';
import { indexedText } from '../../../src/database/postgresql/indexed-text.js';
import { replaceOutsideStrings } from './sql.js';

/** Adds to the engine's SQL what Prisma's language can't say. */
export function finishPostgresql(sql: string): string {
  return inOrder(bytewise(withoutSchema(sql)));
}

const CREATE_INDEX = /(?:-- CreateIndex\n)?CREATE INDEX ("[^"]+") ON ("[^"]+")[^;]*;\n*/g;

/**
 * Takes the indexes of `tables` out of the SQL, as statements to run after it, concurrently: these
 * tables may have rows, and the server before goes on writing meanwhile.
 */
export function concurrently(
  sql: string,
  tables: ReadonlySet<string>,
): { readonly sql: string; readonly statements: readonly string[] } {
  const statements: string[] = [];
  const rest = replaceOutsideStrings(sql, CREATE_INDEX, (match) => {
    const [, name = '', table = ''] = /CREATE INDEX ("[^"]+") ON ("[^"]+")/.exec(match) ?? [];
    if (name === '' || !tables.has(table.slice(1, -1))) return match;
    const statement = match.replace(/^-- CreateIndex\n/, '').trim();
    statements.push(statement.replace('CREATE INDEX ', 'CREATE INDEX CONCURRENTLY '));
    return '';
  });
  return { sql: rest, statements };
}

/** Returns the part of a migration that PostgreSQL runs outside of a transaction. */
export function outside(statements: readonly string[]): string {
  return statements.length === 0 ? '' : `\n${OUTSIDE_MARK}\n${statements.join('\n')}\n`;
}

const INDEX_COLUMNS = /CREATE INDEX "[^"]+" ON "(?!Jmap)[^"]+"\([^;]*\);/g;

/**
 * Puts indexes of data types into the order of queries (src/store/sql/query-statements.ts): nulls
 * first, and of a collation key or folded text as much as an entry takes. The account and the id,
 * which begin and end each, are never null.
 */
function inOrder(sql: string): string {
  return replaceOutsideStrings(sql, INDEX_COLUMNS, (statement) =>
    statement.replace(/\((.*)\);$/, (_, list: string) => {
      const columns = list.split(', ');
      const ordered = columns.map((column, index) => {
        if (index === 0 || index === columns.length - 1) return column;
        const isLong = column.endsWith('_casemap"') || column.endsWith('_folded"');
        return `${isLong ? `(${indexedText(column)})` : column} NULLS FIRST`;
      });
      return `(${ordered.join(', ')});`;
    }),
  );
}

/**
 * Makes text compare by its bytes, as in SQLite: ids, collation keys and folded text are made for
 * that, and a database's own collation changes with its system.
 */
function bytewise(sql: string): string {
  return replaceOutsideStrings(sql, /"(?:[^"]|"")+" TEXT\b/g, (match) => `${match} COLLATE "C"`);
}

/**
 * Removes the statement that makes the schema. That is the operator's task: the statement needs
 * rights on the database even where it has nothing to do.
 */
function withoutSchema(sql: string): string {
  return sql.replace(/^-- CreateSchema\nCREATE SCHEMA IF NOT EXISTS "[^"]+";\n\n/, '');
}
