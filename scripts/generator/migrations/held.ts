import { EVOLVED } from '../../../src/capability/evolution.js';
import { evolutionsIn, typesByTable } from '../../../src/descriptor/model/types-in.js';
import type { Model } from '../../../src/descriptor/model.js';
import { defaultText } from '../emit/prisma-data-tables.js';
import type { Column, Provider, Table } from '../emit/prisma-datamodel.js';
import { digits } from '../evolve/resolve.js';
import type { Difference } from './compare.js';
import type { Snapshot } from './history.js';
import { leastValue } from './least-value.js';
import { withDefault } from './leftovers.js';
import { isShadow, releasedTypes } from './lineage.js';
import type { ReadTable } from './read-datamodel.js';
import { section } from './shared-rows.js';
import { type HeldColumn, type Leftover, snapshotProperty } from './snapshot.js';
import { quoted, text } from './sql.js';

/**
 * Columns of properties that are gone stay for the files of `evolve/` that read them, on both
 * databases. A database may lack several migrations, and a conversion runs behind all of them. The
 * columns go once these files are deleted.
 */
export interface Holding {
  readonly before: readonly HeldColumn[];
  /** Those of them that stay, and what this migration adds. */
  readonly after: readonly HeldColumn[];
  readonly number: number;
}

/** Returns the held columns of the released state that a file still reads. */
export function stillHeld(snapshot: Snapshot, model: Model): readonly HeldColumn[] {
  const first = firstByTable(model);
  return (snapshot.model?.held ?? []).filter(
    ({ table, since }) => (first.get(table) ?? Number.POSITIVE_INFINITY) <= since,
  );
}

/** Returns the number of the first conversion of each table. */
function firstByTable(model: Model): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { table, migration } of evolutionsIn(model))
    first.set(table, Math.min(migration, first.get(table) ?? migration));
  return first;
}

/** Returns the model's tables with what stays held, and with values for new columns. */
export function prepareTables(
  own: readonly ReadTable[],
  held: readonly HeldColumn[],
  snapshot: Snapshot,
  model: Model,
): readonly ReadTable[] {
  const types = typesByTable(model);
  return own.map((table) => {
    const released = snapshot.tables.find(({ name }) => name === table.name)?.columns ?? [];
    const names = held.flatMap((one) => (one.table === table.name ? [one.column] : []));
    const type = types.get(table.name);
    const isNew = ({ name }: Column) => !released.some((column) => column.name === name);
    if (names.length === 0 && type?.converts !== true) return table;
    const columns = table.columns.map((column) => {
      const property = type?.properties.find((one) => one.column === column.name);
      if (property === undefined || type?.converts !== true || !isNew(column)) return column;
      if (column.nullable || column.default !== undefined) return column;
      // For objects that are not converted yet, and those that the previous version creates.
      const kept = snapshotProperty(property);
      const value = defaultText({ ...kept, default: leastValue(kept) });
      return value === undefined ? column : { ...column, default: value };
    });
    return {
      ...table,
      columns: [...columns, ...released.filter(({ name }) => names.includes(name))],
    };
  });
}

/** Returns the columns that this migration takes from their properties and keeps for a file. */
export function newlyHeld(
  { changed }: Difference<ReadTable>,
  model: Model,
  since: number,
): readonly HeldColumn[] {
  const first = firstByTable(model);
  return changed
    .filter(({ after }) => first.has(after.name))
    .flatMap(({ before, removed }) =>
      removed
        .filter(({ name }) => name !== EVOLVED && !isShadow(name, before))
        .map(({ name }) => ({ table: before.name, column: name, since })),
    );
}

/** Returns tables that keep the columns; they are no leftovers then. */
export function hold(
  { left, tables }: { readonly left: readonly Leftover[]; readonly tables: readonly Table[] },
  held: readonly HeldColumn[],
  snapshot: Snapshot,
): { readonly left: readonly Leftover[]; readonly tables: readonly Table[] } {
  if (held.length === 0) return { left, tables };
  const namesOf = (table: string) =>
    held.flatMap((one) => (one.table === table ? [one.column] : []));
  return {
    left: left.flatMap(({ columns = [], ...rest }) => {
      const others = columns.filter((name) => !namesOf(rest.table).includes(name));
      const one = others.length === 0 ? rest : { ...rest, columns: others };
      return Object.keys(one).length > 1 ? [one] : [];
    }),
    tables: tables.map((table) => {
      const missing = namesOf(table.name).filter(
        (name) => !table.columns.some((column) => column.name === name),
      );
      if (missing.length === 0) return table;
      const released = snapshot.tables.find(({ name }) => name === table.name)?.columns ?? [];
      const known = releasedTypes(snapshot).get(table.name)?.known?.properties ?? [];
      const columns = released
        .filter(({ name }) => missing.includes(name))
        .map((column) =>
          withDefault(
            column,
            known.find((property) => property.column === column.name),
          ),
        );
      return { ...table, columns: [...table.columns, ...columns] };
    }),
  };
}

/** Returns the keys of the conversions that must be done in a database: their columns may go. */
export function requiredConversions(snapshot: Snapshot | undefined, model: Model): string[] {
  const now = new Set(evolutionsIn(model).map(({ migration, table }) => keyOf(migration, table)));
  const released = snapshot?.model?.evolves ?? [];
  return released.map((one) => keyOf(one.migration, one.table)).filter((key) => !now.has(key));
}

function keyOf(migration: number, table: string): string {
  return `evolve:${digits(migration)}/${table}`;
}

const TRIGGER = 'jmap_evolve';

/**
 * Returns SQL in front of the tables' and behind it. On PostgreSQL the previous version may change
 * a value that is converted: a trigger marks the object. New notes tell the server of conversions.
 */
export function evolveSql(
  { before, after, number }: Holding,
  model: Model,
  provider: Provider,
): { readonly before: string; readonly after: string } {
  const notes = evolutionsIn(model)
    .filter(({ migration }) => migration === number)
    .map(({ table, file }) => {
      const value = text(JSON.stringify({ file }));
      return (
        `INSERT INTO "JmapMeta" ("key", "value") SELECT ${text(keyOf(number, table))}, ${value} ` +
        `WHERE EXISTS (SELECT 1 FROM ${quoted(table)});`
      );
    });
  const noted = section('The conversions of the server at its next start.', notes);
  if (provider === 'sqlite') return { before: '', after: noted };
  const gone = distinct(before.filter((one) => !after.includes(one)));
  const drops = gone.map(
    ({ table, since }) =>
      `DROP TRIGGER IF EXISTS ${quoted(`${TRIGGER}_${since}`)} ON ${quoted(table)};`,
  );
  const added = after.filter(({ since }) => since === number);
  const triggers = distinct(added).map(({ table }) => {
    const names = added.flatMap((one) => (one.table === table ? [quoted(one.column)] : []));
    const changes = names.map((name) => `OLD.${name} IS DISTINCT FROM NEW.${name}`).join(' OR ');
    return (
      `CREATE TRIGGER ${quoted(`${TRIGGER}_${number}`)} BEFORE UPDATE OF ${names.join(', ')} ` +
      `ON ${quoted(table)} FOR EACH ROW WHEN (${changes}) ` +
      `EXECUTE FUNCTION ${quoted(TRIGGER)}('${1 - number}');`
    );
  });
  const marked = section(
    'Marks objects in which the previous version changes a value that is converted.',
    triggers.length === 0 ? [] : [FUNCTION, ...triggers],
  );
  return { before: section('Nothing is converted any more.', drops), after: marked + noted };
}

const FUNCTION = `CREATE OR REPLACE FUNCTION ${quoted(TRIGGER)}() RETURNS trigger AS
$$ BEGIN NEW.${quoted(EVOLVED)} := TG_ARGV[0]::BIGINT; RETURN NEW; END $$ LANGUAGE plpgsql;`;

function distinct(all: readonly HeldColumn[]): readonly HeldColumn[] {
  return [...new Map(all.map((one) => [`${one.table} ${one.since}`, one])).values()];
}
