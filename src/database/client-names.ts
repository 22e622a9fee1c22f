import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UniqueCheck } from './migrations.js';

/**
 * The names that clients use for a table or column, for messages about a migration: from the model
 * beside it. Migrations older than models have none; their storage names were the names.
 */
export interface ClientNames {
  type(table: string): string;
  property(table: string, column: string): string;
}

interface Model {
  readonly capabilities?: readonly {
    readonly types?: readonly {
      readonly name: string;
      readonly table: string;
      readonly properties: readonly { readonly name: string; readonly column: string }[];
      readonly shadows: readonly { readonly column: string; readonly property: string }[];
      readonly uniques: readonly (readonly string[])[];
      /** Those of `uniques` for which null equals null. */
      readonly nullsEqual?: readonly (readonly string[])[];
    }[];
  }[];
}

/** Returns the names that clients know. `folder`: of the migration. */
export function clientNames(folder: string): ClientNames {
  const types = typesIn(join(folder, 'model.json'));
  const typeOf = (table: string) => types.find((type) => type.table === table);
  return {
    type: (table) => typeOf(table)?.name ?? table,
    property(table, column) {
      const type = typeOf(table);
      const property = type?.properties.find((one) => one.column === column)?.name;
      return property ?? type?.shadows.find((one) => one.column === column)?.property ?? column;
    },
  };
}

/** Returns what must be unique once the migration of the folder is applied. */
export function uniquesIn(folder: string): readonly UniqueCheck[] {
  return typesIn(join(folder, 'model.json')).flatMap(
    ({ name: type, table, properties, uniques, nullsEqual = [] }) => {
      const equated = new Set(nullsEqual.map((names) => names.join('+')));
      return uniques.map((names): UniqueCheck => {
        const name = names.join('+');
        const columns = names.map(
          (one) => properties.find((property) => property.name === one)?.column ?? one,
        );
        const nulls = equated.has(name) ? { nullsEqual: true as const } : {};
        return { table, type, name, columns, ...nulls };
      });
    },
  );
}

function typesIn(file: string) {
  if (!existsSync(file)) return [];
  try {
    const { capabilities = [] } = JSON.parse(readFileSync(file, 'utf8')) as Model;
    return capabilities.flatMap(({ types = [] }) => types);
  } catch (error) {
    // The generator says what is wrong with it; here it is for words alone.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
