import type { Table } from '../emit/prisma-datamodel.js';
import type { Location, Model, ModelProperty, ModelType, Problem } from '../model.js';
import type { Difference, TableChange } from './compare.js';
import type { Snapshot } from './history.js';
import type { ReadTable } from './read-datamodel.js';

/**
 * Changes that would lose data, or that nothing can carry out. Each names the descriptor's place and
 * what to write there; `drops` acknowledges those that lose data.
 */
export function refusals(
  difference: Difference<ReadTable>,
  model: Model,
  snapshot: Snapshot,
): readonly Problem[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  const later = ofLaterEngine(difference);
  if (later !== undefined) return [laterEngine(later, snapshot)];
  return [
    ...difference.removed.flatMap((table) => removedType(table, model, snapshot)),
    ...difference.changed.flatMap((change) => {
      const type = types.find((candidate) => candidate.table === change.after.name);
      const at = type?.at ?? { file: snapshot.file, line: change.before.line, column: 1 };
      return changedType(change, type, at);
    }),
  ];
}

/**
 * What the migrations have of the engine's own tables and this engine has not. No descriptor can give
 * that up; the names are the engine's alone (check/reserved.ts).
 */
function ofLaterEngine({ removed, changed }: Difference<ReadTable>) {
  const table = removed.find(({ name }) => isEngines(name));
  if (table !== undefined) return { what: table.name, line: table.line };
  const change = changed.find((one) => isEngines(one.after.name) && one.removed.length > 0);
  if (change === undefined) return undefined;
  const { before, after, removed: columns } = change;
  return { what: `${after.name}.${columns[0]?.name}`, line: before.line };
}

function isEngines(table: string): boolean {
  return table.startsWith('Jmap');
}

function laterEngine(found: { what: string; line: number }, snapshot: Snapshot): Problem {
  return {
    at: { file: snapshot.file, line: found.line, column: 1 },
    code: 'later-engine',
    message:
      `The migrations have ${found.what}, a part of the engine's own tables that this jmapsmith does not have: a later ` +
      'one made them. Install that version; or, where no database has them, delete the migrations that it made.',
  };
}

/** Refused at the capability that had it, while that is there; otherwise in the snapshot. */
function removedType(table: ReadTable, model: Model, snapshot: Snapshot): readonly Problem[] {
  if (model.capabilities.some(({ drops }) => drops.some(({ name }) => name === table.name)))
    return [];
  const urn = snapshot.model?.capabilities.find(({ types }) =>
    types.some((type) => type.table === table.name),
  )?.urn;
  const capability = model.capabilities.find((candidate) => candidate.urn === urn);
  return [
    {
      at: capability?.at ?? { file: snapshot.file, line: table.line, column: 1 },
      code: 'type-removed',
      message:
        `The type ${table.name} is in the migrations and no longer here: its table and all data in it would go. ` +
        `Write \`drops: [${table.name}]\` beside \`capability\` to give them up, or \`renamedFrom: ${table.name}\` at the ` +
        `type that has its data now; or put it back.`,
    },
  ];
}

function changedType(
  change: TableChange<ReadTable>,
  type: ModelType | undefined,
  at: Location,
): Problem[] {
  const table = change.after.name;
  const given = new Set(type?.drops.map(({ name }) => name));
  const problems = change.removed
    .filter(({ name }) => !isShadow(name, change.before) && !given.has(name))
    .map((column) => removedProperty(table, column.name, at));
  for (const { before, after } of change.altered) {
    const place = propertyOf(type, after.name)?.at ?? at;
    const without = !after.nullable && after.default === undefined;
    if (isShadow(after.name, change.after)) continue;
    if (before.type !== after.type) {
      if (!given.has(after.name))
        problems.push(alteredProperty(table, after.name, before.type, after.type, place));
      else if (without) problems.push(addedProperty(table, after.name, place));
    } else if (before.nullable && !after.nullable) {
      if (without || !given.has(after.name))
        problems.push(requiredProperty(table, after.name, place, without));
    } else if (before.unique !== after.unique) problems.push(keyChange(table, place));
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
export function isShadow(column: string, table: Table): boolean {
  const base = /^(.+)_(?:folded|casemap|instant)$/.exec(column)?.[1];
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
      `${table}.${column} is in the migrations and no longer in the descriptor: its values would go. Write ` +
      `\`drops: [${column}]\` at the type to give them up, or \`renamedFrom: ${column}\` at the property that has them ` +
      `now; or put it back.`,
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
      `${table}.${column} was stored as ${before} and would now be ${after}: its values would go. Write ` +
      `\`drops: [${column}]\` at the type to give them up, or declare a property of another name.`,
  };
}

function requiredProperty(
  table: string,
  column: string,
  at: Location,
  withoutDefault: boolean,
): Problem {
  const how = withoutDefault
    ? `Give it a default, which they get, and write \`drops: [${column}]\` at the type`
    : `They would get the default: write \`drops: [${column}]\` at the type to accept that`;
  return {
    at,
    code: 'property-not-nullable',
    message:
      `${table}.${column} was nullable and no longer is: objects that hold null would have to change. ` +
      `${how}; or leave it nullable.`,
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
