import { EVOLVED } from '../../../src/capability/evolution.js';
import { PRINCIPALS } from '../../../src/capability/principal-names.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type {
  Location,
  Model,
  ModelProperty,
  ModelType,
  Problem,
} from '../../../src/descriptor/model.js';
import type { Column } from '../emit/prisma-datamodel.js';
import type { Difference, TableChange } from './compare.js';
import type { Snapshot } from './history.js';
import {
  isShadow,
  predecessorOf,
  type ReleasedProperty,
  releasedTypes,
  tableBefore,
} from './lineage.js';
import type { ReadTable } from './read-datamodel.js';

/**
 * Returns the problems of changes that would lose data, or that nothing can carry out. Each names
 * the descriptor's place and what to write there; `drops` accepts those that lose data.
 */
export function refusals(
  difference: Difference<ReadTable>,
  model: Model,
  snapshot: Snapshot,
): readonly Problem[] {
  const types = typesIn(model);
  const later = ofLaterEngine(difference);
  if (later !== undefined) return [laterEngine(later, snapshot)];
  return [
    ...difference.removed.flatMap((table) => removedType(table, model, snapshot)),
    ...difference.changed.flatMap((change) => {
      const type = types.find((candidate) => candidate.table === change.after.name);
      return changedType(change, type, difference.removed, snapshot);
    }),
  ];
}

/**
 * Returns what the migrations have of the engine's own tables and this engine has not. No
 * descriptor can give that up; the names are the engine's alone (check/reserved.ts).
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
      `The migrations have ${found.what}, a part of the engine's own tables that this jmapsmith ` +
      'does not have: a later one made them. Install that version; or, where no database has ' +
      'them, delete the migrations that it made.',
  };
}

/** Refuses to remove a type, at the capability that had it, or in the snapshot if that went too. */
function removedType(table: ReadTable, model: Model, snapshot: Snapshot): readonly Problem[] {
  const type = releasedTypes(snapshot).get(table.name)?.name ?? table.name;
  const heir = heirOf(type, model);
  if (heir !== undefined) return [refuseTakenName(heir, type, 'type', 'beside `capability`')];
  if (model.capabilities.some(({ drops }) => drops.some(({ name }) => name === type))) return [];
  const urn = snapshot.model?.capabilities.find(({ types }) =>
    types.some((one) => one.table === table.name),
  )?.urn;
  // They go with the last `share`: nothing that a client wrote is in them.
  if (urn === PRINCIPALS) return [];
  const capability = model.capabilities.find((candidate) => candidate.urn === urn);
  return [
    {
      at: capability?.at ?? { file: snapshot.file, line: table.line, column: 1 },
      code: 'type-removed',
      message:
        `The type ${type} is in the migrations and no longer here: its table and all data in it ` +
        `would go. Write \`drops: [${type}]\` beside \`capability\` to give them up, or ` +
        `\`renamedFrom: ${type}\` at the type that has its data now; or put it back.`,
    },
  ];
}

/**
 * Returns the type that says that it was this one, and has the place of another of its own name.
 */
function heirOf(released: string, model: Model): ModelType | undefined {
  const types = typesIn(model);
  return types.find(({ renamedFrom }) => renamedFrom === released);
}

/**
 * Refuses a rename to a name that another released type or property still has. All other renames
 * have their place already (place.ts).
 */
function refuseTakenName(
  { name, at }: Pick<ModelType, 'name' | 'at'>,
  old: string,
  what: 'type' | 'property',
  where: string,
): Problem {
  return {
    at,
    code: 'bad-rename',
    message:
      `The ${what} ${old} can't be renamed to ${name} yet: the last release has another ${what} ` +
      `of that name. Give that one up first (take it out, \`drops: [${name}]\` ${where}, ` +
      `generate, commit), then rename ${old}.`,
  };
}

function changedType(
  change: TableChange<ReadTable>,
  type: ModelType | undefined,
  removed: readonly ReadTable[],
  snapshot: Snapshot,
): Problem[] {
  const at = type?.at ?? { file: snapshot.file, line: change.before.line, column: 1 };
  const before = releasedTypes(snapshot).get(change.before.name);
  const where = (property: string) => `${type?.name ?? change.after.name}.${property}`;
  const given = new Set(type?.drops.map(({ name }) => name));
  const isConverted = type?.converts === true;
  const problems: Problem[] = [];
  // It is told of already, and compared with what it never was.
  const { renamedFrom = '' } = type ?? {};
  const tables = new Set(removed.map(({ name }) => name));
  if (tables.has(tableBefore(renamedFrom, snapshot) ?? '')) return [];
  const replaced = new Map<string, readonly [old: ReleasedProperty, now: ModelProperty]>();
  for (const property of type?.properties ?? []) {
    const old = before && type && predecessorOf(before, type, property);
    const isOwn = old?.known?.perUser === true || property.perUser === true;
    if (old !== undefined && old.column !== property.column && !isOwn)
      replaced.set(old.column, [old, property]);
  }
  for (const column of change.removed) {
    if (isShadow(column.name, change.before) || column.name === EVOLVED) continue;
    const [old, property] = replaced.get(column.name) ?? [];
    const released = before?.properties.find((one) => one.column === column.name);
    const name = released?.name ?? column.name;
    const heir = type?.properties.find(({ renamedFrom: from }) => from === name);
    if (heir !== undefined && heir !== property) {
      problems.push(refuseTakenName(heir, name, 'property', 'at the type'));
    } else if (old === undefined || property === undefined) {
      // Nothing converts a secret: the server has a hash or ciphertext alone.
      const isKept = isConverted && released?.known?.secret === undefined;
      if (!given.has(name) && !isKept) problems.push(removedProperty(where(name), name, at));
    } else if (old.known?.kind !== property.kind)
      problems.push(
        ...retyped(
          change,
          column,
          old,
          property,
          where(property.name),
          isConverted || given.has(property.name),
        ),
      );
  }
  for (const { before: old, after } of change.altered) {
    if (isShadow(after.name, change.after)) continue;
    const property = propertyOf(type, after.name);
    const name = property?.name ?? after.name;
    const place = property?.at ?? at;
    const without = !after.nullable && after.default === undefined;
    if (old.type !== after.type || old.unique !== after.unique)
      problems.push(keyChange(change.after.name, place));
    else if (old.nullable && !after.nullable && (without || !given.has(name)))
      problems.push(requiredProperty(where(name), name, place, without));
  }
  const successors = new Set([...replaced.values()].map(([, { column }]) => column));
  for (const column of change.added) {
    if (column.nullable || column.default !== undefined || successors.has(column.name)) continue;
    const property = propertyOf(type, column.name);
    problems.push(addedProperty(where(property?.name ?? column.name), property?.at ?? at));
  }
  if (change.keyChanged) problems.push(keyChange(change.after.name, at));
  return problems;
}

/**
 * Refuses another kind of values that `drops` doesn't accept, and an accepted one without a value
 * for the objects that exist. Properties that are sealed otherwise or refer to another type are
 * refused by narrowing.ts, which knows why.
 */
function retyped(
  { after }: TableChange<ReadTable>,
  before: Column,
  { known }: ReleasedProperty,
  { name, column, kind, at }: ModelProperty,
  where: string,
  isAccepted: boolean,
): readonly Problem[] {
  const now = after.columns.find((one) => one.name === column);
  if (now === undefined) return [];
  const [was, is] = now.type === before.type ? [known?.kind, kind] : [before.type, now.type];
  if (!isAccepted) return [alteredProperty(where, name, was ?? before.type, is, at)];
  return now.nullable || now.default !== undefined ? [] : [addedProperty(where, at)];
}

function propertyOf(type: ModelType | undefined, column: string): ModelProperty | undefined {
  return type?.properties.find((property) => property.column === column);
}

export function removedProperty(where: string, name: string, at: Location): Problem {
  return {
    at,
    code: 'property-removed',
    message:
      `${where} is in the migrations and no longer in the descriptor: its values would go. Write ` +
      `\`drops: [${name}]\` at the type to give them up, or \`renamedFrom: ${name}\` at the ` +
      'property that has them now; or put it back.',
  };
}

export function alteredProperty(
  where: string,
  name: string,
  before: string,
  after: string,
  at: Location,
): Problem {
  return {
    at,
    code: 'property-type-changed',
    message:
      `${where} was stored as ${before} and would now be ${after}: its values would go. Write ` +
      `\`drops: [${name}]\` at the type to give them up, or declare a property of another name.`,
  };
}

function requiredProperty(
  where: string,
  name: string,
  at: Location,
  withoutDefault: boolean,
): Problem {
  const how = withoutDefault
    ? `Give it a default, which they get, and write \`drops: [${name}]\` at the type`
    : `They would get the default: write \`drops: [${name}]\` at the type to accept that`;
  return {
    at,
    code: 'property-not-nullable',
    message:
      `${where} was nullable or optional and no longer is: objects that hold nothing would have ` +
      `to change. ${how}; or leave it as it was.`,
  };
}

function addedProperty(where: string, at: Location): Problem {
  return {
    at,
    code: 'property-without-default',
    message:
      `${where} is new, and the objects that exist have no value for it: ` +
      `give it a default, or make it nullable or optional.`,
  };
}

function keyChange(table: string, at: Location): Problem {
  return {
    at,
    code: 'key-changed',
    message: `${table}: changing what identifies a row is not supported.`,
  };
}
