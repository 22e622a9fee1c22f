import { formatOf } from '../../../src/capability/formats/index.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { Provider } from '../emit/prisma-datamodel.js';
import type { Difference } from './compare.js';
import { section } from './shared-rows.js';
import { quoted } from './sql.js';

/**
 * Returns the SQL that gives existing objects the time of their creation in properties that are new
 * and have the present time as default. On PostgreSQL the version before goes on adding rows: they
 * get the time of the row.
 */
export function presentTimesSql({ changed }: Difference, model: Model, provider: Provider): string {
  const types = model.capabilities.flatMap((capability) => capability.types);
  const statements = changed.flatMap(({ after, added, altered }) => {
    const type = types.find(({ table }) => table === after.name);
    if (type === undefined) return [];
    const columns = [
      ...added,
      ...altered
        .filter(({ before, after: now }) => before.nullable && !now.nullable)
        .map((change) => change.after),
    ].map(({ name }) => name);
    const filled = type.properties.filter(
      ({ column, defaultNow }) => defaultNow === true && columns.includes(column),
    );
    return filled.flatMap((property) => [
      fillSql(type, property, provider),
      ...(provider === 'sqlite' ? [] : [defaultSql(type, property)]),
    ]);
  });
  return section('The times of objects that exist.', statements);
}

/**
 * A row that was altered has the column's default where it had null (compose.ts). Objects of a type
 * without the time of their creation get that of the migration.
 */
function fillSql(type: ModelType, property: ModelProperty, provider: Provider): string {
  const created = type.properties.find(({ role }) => role === 'created')?.column;
  const time = created === undefined ? NOW[provider] : quoted(created);
  const column = quoted(property.column);
  const value = property.kind === 'date' ? time : textSql(property, time, provider);
  const isDefault = `${column} = ${defaultLiteral(property)}`;
  return `UPDATE ${quoted(type.table)} SET ${column} = ${value} WHERE ${isDefault};`;
}

/** The present time in ms. */
const NOW: Readonly<Record<Provider, string>> = Object.freeze({
  sqlite: "CAST(strftime('%s', 'now') AS INTEGER) * 1000",
  postgresql: 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT)',
});

function defaultSql(type: ModelType, property: ModelProperty): string {
  const now = NOW.postgresql;
  const value = property.kind === 'date' ? now : textSql(property, now, 'postgresql');
  return (
    `ALTER TABLE ${quoted(type.table)} ALTER COLUMN ${quoted(property.column)} ` +
    `SET DEFAULT ${value};`
  );
}

function defaultLiteral(property: ModelProperty): string {
  return property.kind === 'date' ? '0' : `'${formatOf(property)?.numbered(0) ?? ''}'`;
}

/** Returns the SQL of a text of the property's format: the beginning of a UTCDate. */
function textSql(property: ModelProperty, milliseconds: string, provider: Provider): string {
  const length = formatOf(property)?.present?.('1970-01-01T00:00:00Z').length ?? 0;
  const whole =
    provider === 'sqlite'
      ? `strftime('%Y-%m-%dT%H:%M:%SZ', ${milliseconds} / 1000, 'unixepoch')`
      : `to_char(to_timestamp(${milliseconds} / 1000) AT TIME ZONE 'UTC', ` +
        `'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  return `substr(${whole}, 1, ${length})`;
}
