import { formatOf } from '../../../src/capability/formats/index.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { Column, Provider } from '../emit/prisma-datamodel.js';
import type { ColumnChange, Difference } from './compare.js';
import type { Snapshot } from './history.js';
import { section } from './shared-rows.js';
import type { Leftover } from './snapshot.js';
import { NOW, quoted } from './sql.js';

/**
 * Returns the SQL that gives existing objects the time of their creation in properties that are new
 * and have the present time as default. On PostgreSQL the previous version goes on adding rows:
 * they get the time of the row.
 */
export function presentTimesSql({ changed }: Difference, model: Model, provider: Provider): string {
  const statements = changed.flatMap(({ after, added, altered }) => {
    const fresh = [...added, ...altered.filter(hasOtherType).map((change) => change.after)];
    const filled = altered.filter(losesNull).map((change) => change.after);
    const withDefault = provider === 'sqlite' ? [] : [...fresh, ...filled];
    return [
      ...timesIn(model, after.name, fresh).map(({ type, property }) => {
        const column = quoted(property.column);
        const time = timeSql(type, property, { columns: after.columns, provider });
        const isFiller = `${column} = ${defaultLiteral(property)}`;
        return `UPDATE ${quoted(after.name)} SET ${column} = ${time} WHERE ${isFiller};`;
      }),
      ...timesIn(model, after.name, withDefault).map(({ type, property }) =>
        defaultSql(type, property),
      ),
    ];
  });
  return section('The times of objects that exist.', statements);
}

/** The tables before a migration, and what becomes of them. */
interface TableChanges {
  readonly snapshot: Snapshot | undefined;
  readonly leftovers: readonly Leftover[];
  readonly difference: Difference;
}

/**
 * Returns the SQL that does the same for properties which have null and take none any more. It runs
 * before the tables change, so that no value is taken for the default of a column.
 */
export function nullTimesSql(
  { snapshot, leftovers, difference }: TableChanges,
  model: Model,
  provider: Provider,
): string {
  const statements = (snapshot?.tables ?? []).flatMap(({ name: table, columns }) => {
    const altered = difference.changed
      .filter(({ after }) => after.name === table)
      .flatMap((change) => change.altered.filter(losesNull).map(({ after }) => after));
    const left = leftovers
      .filter((leftover) => leftover.table === table)
      .flatMap(({ nullable = [] }) => nullable.map((name) => ({ name })));
    return timesIn(model, table, [...altered, ...left]).map(({ type, property }) => {
      const column = quoted(property.column);
      const time = timeSql(type, property, { columns, provider });
      return `UPDATE ${quoted(table)} SET ${column} = ${time} WHERE ${column} IS NULL;`;
    });
  });
  return section('The times of objects that have none.', statements);
}

function hasOtherType({ before, after }: ColumnChange): boolean {
  return before.type !== after.type;
}

function losesNull(change: ColumnChange): boolean {
  return !hasOtherType(change) && change.before.nullable && !change.after.nullable;
}

/** Returns the properties with such a column and the present time as default. */
function timesIn(
  model: Model,
  table: string,
  columns: readonly Pick<Column, 'name'>[],
): readonly { readonly type: ModelType; readonly property: ModelProperty }[] {
  const names = columns.map(({ name }) => name);
  return typesIn(model)
    .filter((type) => type.table === table)
    .flatMap((type) =>
      type.properties
        .filter(({ column, defaultNow }) => defaultNow === true && names.includes(column))
        .map((property) => ({ type, property })),
    );
}

/**
 * Returns the time of an object's creation. Objects whose table goes without it get that of the
 * migration.
 */
function timeSql(
  { properties }: ModelType,
  property: ModelProperty,
  { columns, provider }: { readonly columns: readonly Column[]; readonly provider: Provider },
): string {
  const created = properties.find(({ role }) => role === 'created')?.column;
  const isThere = columns.some(({ name }) => name === created);
  const time = created === undefined || !isThere ? PRESENT[provider] : quoted(created);
  return property.kind === 'date' ? time : textSql(property, time, provider);
}

/** The present time in ms, on SQLite of this second. */
const PRESENT: typeof NOW = Object.freeze({
  ...NOW,
  sqlite: "CAST(strftime('%s', 'now') AS INTEGER) * 1000",
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
