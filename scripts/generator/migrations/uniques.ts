import type { UniqueCheck } from '../../../src/database/migrations.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelType, ModelUnique, Problem } from '../../../src/descriptor/model.js';
import type { TypeEffect } from './effects.js';
import type { Snapshot } from './history.js';
import { releasedTypes } from './lineage.js';

/**
 * Returns the uniques that existing types declare anew, or in whose columns the migration puts the
 * default for null (`filled`): the server looks for duplicates.
 */
export function newUniques(
  snapshot: Snapshot,
  model: Model,
  filled: ReadonlyMap<string, ReadonlySet<string>>,
): readonly UniqueCheck[] {
  const types = typesIn(model);
  return types.flatMap((type) => {
    const released = releasedTypes(snapshot).get(type.table);
    if (released === undefined) return [];
    const columnOf = (name: string) =>
      released.properties.find((property) => property.name === name)?.column ?? name;
    const { uniques = [], nullsEqual = [] } = released.known ?? {};
    const keysOf = (lists: readonly (readonly string[])[]) =>
      new Set(lists.map((names) => keyOf(names.map(columnOf))));
    const before = keysOf(uniques);
    const equated = keysOf(nullsEqual);
    return type.uniques
      .map((unique) => checkOf(type, unique))
      .filter(
        ({ columns, nullsEqual: isEqual }) =>
          !before.has(keyOf(columns)) ||
          (isEqual === true && !equated.has(keyOf(columns))) ||
          columns.some((column) => filled.get(type.table)?.has(column)),
      );
  });
}

/**
 * Refuses to make a computed property unique that is new, or computed otherwise: it has its values
 * once the server has started, too late to look for duplicates.
 */
export function uniqueProblems(
  checks: readonly UniqueCheck[],
  effects: readonly TypeEffect[],
): readonly Problem[] {
  return effects.flatMap(({ type, computed }) =>
    type.uniques.flatMap((unique): Problem[] => {
      const { name } = checkOf(type, unique);
      if (!checks.some((check) => check.table === type.table && check.name === name)) return [];
      const late = unique.properties.find((property) => computed.includes(property));
      if (late === undefined) return [];
      return [
        {
          at: unique.at,
          code: 'unique-not-computed',
          message:
            `${type.name}.${name} would be unique, and "${late.name}" is not computed yet for ` +
            `the objects that exist. Release "${late.name}" first (generate, commit, start the ` +
            'server), then declare it unique.',
          related: [late.at],
        },
      ];
    }),
  );
}

/**
 * Refuses a unique whose properties are all new, with a default: the objects that exist would all
 * have the same, and no version could change that before.
 */
export function defaultProblems(
  checks: readonly UniqueCheck[],
  fresh: ReadonlyMap<string, ReadonlySet<string>>,
  model: Model,
): readonly Problem[] {
  const types = typesIn(model);
  return types.flatMap((type) =>
    type.uniques
      .filter(
        (unique) =>
          checks.some(
            ({ table, name }) => table === type.table && name === checkOf(type, unique).name,
          ) &&
          unique.properties.every(
            ({ column, default: value = null, defaultNow, computed }) =>
              computed === undefined &&
              (value !== null || unique.nullsEqual === true) &&
              defaultNow !== true &&
              fresh.get(type.table)?.has(column),
          ),
      )
      .map((unique) => ({
        at: unique.at,
        code: 'unique-by-default',
        message:
          `${type.name}.${checkOf(type, unique).name} is new and would be unique, and all ` +
          'objects that exist would get the same default. ' +
          (unique.nullsEqual === true
            ? 'Release it without nulls: equal first.'
            : 'Make it nullable without a default: null is equal to nothing.'),
      })),
  );
}

function checkOf(type: ModelType, { properties, nullsEqual }: ModelUnique): UniqueCheck {
  return {
    table: type.table,
    ...(type.name === type.table ? {} : { type: type.name }),
    name: properties.map(({ name }) => name).join('+'),
    columns: properties.map(({ column }) => column),
    ...(nullsEqual === undefined ? {} : { nullsEqual }),
  };
}

/** Returns a key for columns that are unique together: they have no order. */
function keyOf(columns: readonly string[]): string {
  return [...columns].sort().join('\n');
}
