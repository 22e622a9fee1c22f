import type { Table } from '../emit/prisma-datamodel.js';
import type { Location, Model, ModelProperty, ModelType, Problem } from '../model.js';
import type { Difference, TableChange } from './compare.js';
import type { Snapshot } from './history.js';
import type { ReadTable } from './read-datamodel.js';

/**
 * Changes that would lose data, or alter objects behind their clients' backs (a change without a
 * change record is never synchronised). Each names the descriptor's place, or the snapshot's where
 * the descriptor no longer has one.
 */
export function refusals(
  difference: Difference<ReadTable>,
  model: Model,
  snapshot: Snapshot,
): readonly Problem[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return [
    ...difference.removed.map((table) => removedType(table, snapshot)),
    ...difference.changed.flatMap((change) => {
      const type = types.find((candidate) => candidate.table === change.after.name);
      const at = type?.at ?? { file: snapshot.file, line: change.before.line, column: 1 };
      return changedType(change, type, at);
    }),
  ];
}

function removedType(table: ReadTable, snapshot: Snapshot): Problem {
  return {
    at: { file: snapshot.file, line: table.line, column: 1 },
    code: 'type-removed',
    message:
      `The type ${table.name} is in the migrations and in no descriptor: removing a type, which would drop its ` +
      `table and all data in it, is not supported yet. Put its descriptor back; or, if no database has ` +
      `the table, delete the migration folders that made it, of both databases, and generate again.`,
  };
}

function changedType(
  change: TableChange<ReadTable>,
  type: ModelType | undefined,
  at: Location,
): Problem[] {
  const table = change.after.name;
  const problems = change.removed
    .filter((column) => !isShadow(column.name, change.before))
    .map((column) => removedProperty(table, column.name, at));
  for (const { before, after } of change.altered) {
    const place = propertyOf(type, after.name)?.at ?? at;
    if (before.type !== after.type)
      problems.push(alteredProperty(table, after.name, before.type, after.type, place));
    else if (before.nullable && !after.nullable && !isShadow(after.name, change.after))
      problems.push(requiredProperty(table, after.name, place));
    else if (before.unique !== after.unique) problems.push(keyChange(table, place));
  }
  for (const column of change.added)
    if (!column.nullable && column.default === undefined)
      problems.push(addedProperty(table, column.name, propertyOf(type, column.name)?.at ?? at));
  if (change.keyChanged) problems.push(keyChange(table, at));
  return problems;
}

/**
 * Shadow columns are computed from their property: dropping one loses nothing. Only they have an
 * underscore.
 */
function isShadow(column: string, table: Table): boolean {
  const base = /^(.+)_(?:folded|casemap)$/.exec(column)?.[1];
  return base !== undefined && table.columns.some(({ name }) => name === base);
}

function propertyOf(type: ModelType | undefined, column: string): ModelProperty | undefined {
  return type?.properties.find((property) => property.column === column);
}

function removedProperty(table: string, column: string, at: Location): Problem {
  return {
    at,
    code: 'property-removed',
    message:
      `${table}.${column} is in the migrations and no longer in the descriptor: removing (or renaming) a property, ` +
      `which would drop its values, is not supported yet. Put it back.`,
  };
}

function alteredProperty(
  table: string,
  column: string,
  before: string,
  after: string,
  at: Location,
): Problem {
  return {
    at,
    code: 'property-type-changed',
    message:
      `${table}.${column} was stored as ${before} and would now be ${after}: changing a property's type is not ` +
      `supported yet. Put the type back and declare a property of another name.`,
  };
}

function requiredProperty(table: string, column: string, at: Location): Problem {
  return {
    at,
    code: 'property-not-nullable',
    message:
      `${table}.${column} was nullable and no longer is: objects that hold null would have to change without ` +
      `a change record, which is not supported. Leave it nullable.`,
  };
}

function addedProperty(table: string, column: string, at: Location): Problem {
  return {
    at,
    code: 'property-without-default',
    message:
      `${table}.${column} is new, and the objects that exist have no value for it: ` +
      `give it a default or make it nullable.`,
  };
}

function keyChange(table: string, at: Location): Problem {
  return {
    at,
    code: 'key-changed',
    message: `${table}: changing what identifies a row is not supported.`,
  };
}
