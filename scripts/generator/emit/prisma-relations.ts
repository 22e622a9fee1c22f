import { typesByTable } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import { ACCOUNT_COLUMN, type Column, type Relation, type Table } from './prisma-datamodel.js';
import { fieldName, modelName } from './prisma-names.js';

/**
 * Adds to the tables of data types what Prisma's client can do beyond their columns: relations, and
 * times as DateTime. The database has neither: the engine keeps references, and times are integers.
 */
export function withRelations(model: Model, tables: readonly Table[]): readonly Table[] {
  const types = typesByTable(model);
  const byType = new Map([...types.values()].map((type) => [type.name, type]));
  const fields = new Map(tables.map((table) => [table.name, new FieldNames(table.columns)]));
  const relations = new Map(tables.map(({ name }) => [name, [] as Relation[]]));
  const relate = (from: ModelType, to: string, column: Column | null, isWeak = false): void => {
    const own = fields.get(from.table)?.take(stemOf(column)) ?? '';
    const target = byType.get(to);
    const targetTable = target?.table ?? to;
    const name = `${from.table}_${column?.name ?? ACCOUNT_COLUMN}`;
    relations.get(from.table)?.push({
      name,
      field: own,
      model: modelOf(target, to),
      columns: column === null ? [ACCOUNT_COLUMN] : [ACCOUNT_COLUMN, column.name],
      references: column === null ? ['id'] : [ACCOUNT_COLUMN, 'id'],
      isOptional: column?.nullable === true || isWeak,
    });
    const back = `${lowerFirst(modelOf(from, ''))}By${upperFirst(own)}`;
    const field = fields.get(targetTable)?.take(back) ?? '';
    relations.get(targetTable)?.push({ name, field, model: modelOf(from, '') });
  };
  for (const table of tables) {
    const type = types.get(table.name);
    if (type === undefined) continue;
    relate(type, ACCOUNTS, null);
    for (const property of type.properties) {
      const column = table.columns.find(({ name }) => name === property.column);
      const [whole, ...others] = property.references.filter(({ place }) => place.length === 0);
      if (property.kind !== 'string' || column === undefined) continue;
      if (whole !== undefined && others.length === 0 && byType.has(whole.type))
        relate(type, whole.type, column, whole.onDestroy === 'keep');
    }
  }
  return tables.map((table) =>
    Object.freeze({ ...table, relations: relations.get(table.name) ?? [] }),
  );
}

const ACCOUNTS = 'JmapAccount';

/** The names of a model's fields: a relation takes one that is free. */
class FieldNames {
  readonly #used: Set<string>;

  constructor(columns: readonly Column[]) {
    this.#used = new Set(columns.map(({ name, field }) => fieldName(field ?? name).toLowerCase()));
  }

  take(wanted: string): string {
    let name = fieldName(wanted);
    while (this.#used.has(name.toLowerCase())) name += '_';
    this.#used.add(name.toLowerCase());
    return name;
  }
}

/** Returns `customer` for `customerId`, and `parentObject` for `parent`. */
function stemOf(column: Column | null): string {
  if (column === null) return 'account';
  const field = fieldName(column.field ?? column.name);
  return /.Id$/.test(field) ? field.slice(0, -2) : `${field}Object`;
}

function modelOf(type: ModelType | undefined, table: string): string {
  return modelName(type?.name ?? table);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
