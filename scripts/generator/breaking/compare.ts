import { isShown } from '../../../src/descriptor/model/access.js';
import { shapeArguments } from '../../../src/descriptor/model/further-members.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { Renamed } from '../migrations/lineage.js';
import { narrowed } from '../migrations/narrowed.js';
import type { SnapshotType } from '../migrations/snapshot.js';
import { snapshotType } from '../migrations/snapshot.js';
import { startsAlike } from '../migrations/starts-alike.js';
import { compareAccess, newNames } from './compare-access.js';
import { compareAnswered } from './compare-answered.js';
import { compareNames } from './compare-names.js';
import { compareProperty, withoutInternal } from './compare-property.js';
import { compareQuotas } from './compare-quotas.js';
import { compareRules } from './compare-rules.js';
import { compareUniques } from './compare-uniques.js';
import type { Layer, ModelChange, Tell } from './model-change.js';
import { underNewNames } from './new-names.js';

/** Returns every change from one model to another, in order of the models. */
export function compareModels(before: Model, after: Model): readonly ModelChange[] {
  const changes: ModelChange[] = [];
  const tell = (layer: Layer, breaking: boolean, where: string, what: string) =>
    changes.push({ layer, breaking, where, what });
  const now = new Map(after.capabilities.map((capability) => [capability.urn, capability]));
  for (const { urn } of after.capabilities)
    if (!before.capabilities.some((old) => old.urn === urn))
      tell('wire', false, urn, 'capability added');
  for (const old of before.capabilities) {
    const capability = now.get(old.urn);
    if (capability === undefined) {
      tell('wire', true, old.urn, 'capability removed');
      continue;
    }
    for (const [key, what] of [
      ['session', 'its object in the session'],
      ['accountSession', "its object in an account's capabilities"],
    ] as const) {
      const [was, is] = [old[key], capability[key]];
      if (canonicalJson(was) === canonicalJson(is)) continue;
      const lost = Object.keys(was).filter((name) => !Object.hasOwn(is, name));
      const which = lost.length === 0 ? '' : `, and loses ${lost.join(', ')}`;
      tell('wire', lost.length > 0, old.urn, `${what} changed${which}`);
    }
    if (old.accountLevel && !capability.accountLevel)
      tell('wire', true, old.urn, 'belongs to no account any more');
    compareScopes(old, capability, tell);
    compareMethods(old, capability, tell);
    compareQuotas(old, capability, tell);
  }
  compareTypes(before, after, tell);
  return changes;
}

/**
 * Tells which tokens of identity providers lose or win something. A token that opened a capability
 * without a scope, or by another one, is locked out.
 */
function compareScopes(
  { urn, oauthScopes: was }: Model['capabilities'][number],
  { oauthScopes: is }: Model['capabilities'][number],
  tell: Tell,
): void {
  for (const mode of ['full', 'read'] as const) {
    const [old, now] = [was?.[mode], is?.[mode]];
    if (old === now) continue;
    // Without any scope everybody gets in; a further one for reading takes nothing away.
    const locksOut = is !== undefined && (mode === 'full' || old !== undefined);
    const words = `${old ?? 'none'} -> ${now ?? 'none'}`;
    tell('wire', locksOut, urn, `OAuth scope (${mode}): ${words}`);
  }
}

/** Tells which own methods came, went, or take or answer something else. */
function compareMethods(
  before: Model['capabilities'][number],
  after: Model['capabilities'][number],
  tell: Tell,
): void {
  for (const { name } of after.methods)
    if (!before.methods.some((old) => old.name === name)) tell('wire', false, name, 'method added');
  for (const old of before.methods) {
    const method = after.methods.find(({ name }) => name === old.name);
    if (method === undefined) {
      tell('wire', true, old.name, 'method removed');
      continue;
    }
    if (old.account !== method.account)
      tell('wire', true, old.name, `account: ${old.account} -> ${method.account}`);
    compareParts(old.name, old, method, tell);
  }
}

/**
 * Tells where arguments or a response changed. It breaks clients if arguments take less than they
 * took, or if a response gives more than it gave or lacks a member.
 */
function compareParts(where: string, before: MethodParts, after: MethodParts, tell: Tell): void {
  for (const part of ['arguments', 'response'] as const) {
    const [was, is] = [before[part] ?? {}, after[part] ?? {}];
    if (canonicalJson(was) === canonicalJson(is)) continue;
    const less = part === 'arguments' ? narrowed(was, is, '') : narrowed(is, was, '');
    const lost = part === 'response' ? findLostMembers(was, is) : undefined;
    const why = lost ?? less;
    tell(
      'wire',
      why !== undefined,
      where,
      `its ${part} changed${why === undefined ? '' : `: ${why}`}`,
    );
  }
}

/** The arguments and the response of an own method, or the further ones of a standard method. */
interface MethodParts {
  readonly arguments?: object;
  readonly response?: object;
}

/** Returns which members of a response are gone, in words; undefined if none is. */
function findLostMembers(before: object, after: object): string | undefined {
  const members = (schema: object): object => Reflect.get(schema, 'properties') ?? {};
  const gone = Object.keys(members(before)).filter((name) => !Object.hasOwn(members(after), name));
  return gone.length === 0 ? undefined : `${gone.join(', ')} is gone`;
}

/** Tells which types came, went or were renamed, and compares those that stayed. */
function compareTypes(before: Model, after: Model, tell: Tell): void {
  const wholes = new Map(typesIn(before).map((type) => [type.name, type]));
  const oldTypes = new Map([...wholes].map(([name, type]) => [name, withOwnValues(type)]));
  const oldOf = (type: ModelType) =>
    oldTypes.get(type.name) ?? oldTypes.get(type.renamedFrom ?? '');
  const renames = typesIn(after).flatMap((type) => findRenames(oldOf(type), type));
  const seen = new Set<string>();
  for (const type of typesIn(after)) {
    const same = oldTypes.get(type.name);
    const old = oldOf(type);
    if (old === undefined) {
      tell('wire', false, type.name, 'type added');
      continue;
    }
    seen.add(old.name);
    if (same === undefined) tell('wire', true, type.name, `type renamed from ${old.name}`);
    const renamed = new Map(
      type.properties.flatMap(({ name, renamedFrom }) =>
        renamedFrom === undefined ? [] : [[name, renamedFrom] as const],
      ),
    );
    compareType(renamedWithin(old, renames), withOwnValues(type), renamed, tell);
    const whole = wholes.get(old.name);
    if (whole !== undefined) {
      compareWhole(whole, type, tell);
      compareAnswered(whole, type, renamed, tell);
      compareRules(whole, type, renamed, tell);
      compareAccess(whole, type, newNames(old.name, renames), tell);
      compareSearches(whole, type, renamed, tell);
    }
  }
  for (const [name] of oldTypes) {
    if (seen.has(name)) continue;
    tell('wire', true, name, 'type removed');
    tell('storage', true, name, 'its table and all data in it go');
  }
}

/** Returns a type with its properties, those of each user included. */
function withOwnValues(type: ModelType): SnapshotType {
  return snapshotType(type);
}

/** Returns the new names of a type and its properties, so that references to them compare equal. */
function findRenames(old: SnapshotType | undefined, type: ModelType): readonly Renamed[] {
  if (old === undefined) return [];
  const oldNames = new Set(old.properties.map(({ name }) => name));
  const properties = type.properties.flatMap(({ name, renamedFrom }) =>
    renamedFrom !== undefined && !oldNames.has(name) ? [{ from: renamedFrom, to: name }] : [],
  );
  return [{ from: old.name, to: type.name, properties }];
}

/** Returns a type with the new names of what it refers to, so that a rename is no other change. */
function renamedWithin(type: SnapshotType, renames: readonly Renamed[]): SnapshotType {
  const named = (name: string) => renames.find(({ from }) => from === name)?.to ?? name;
  const properties = type.properties.map((property) => {
    const { references, computed } = property;
    return {
      ...property,
      references: references.map((one) => ({ ...one, type: named(one.type) })),
      ...(computed && { computed: underNewNames(computed, type.name, renames) }),
    };
  });
  return { ...type, properties };
}

/**
 * Compares the parts that a snapshot doesn't have: limits, snake case, further members of standard
 * methods.
 */
function compareWhole(before: ModelType, after: ModelType, tell: Tell): void {
  const { name } = after;
  if (before.keepsUnknown !== after.keepsUnknown) {
    const refuses = after.keepsUnknown !== true;
    tell('wire', refuses, name, `${refuses ? 'refuses' : 'keeps'} undeclared properties now`);
    if (refuses) tell('storage', true, name, 'undeclared properties go');
  }
  if (before.singleton !== after.singleton) {
    tell('wire', true, name, after.singleton ? 'is a singleton now' : 'is no singleton any more');
    tell('storage', true, name, 'its objects have ids that nobody can name');
  }
  for (const limit of ['count', 'octets'] as const) {
    const [was, is] = [before.limits?.[limit] ?? Infinity, after.limits?.[limit] ?? Infinity];
    if (was !== is)
      tell('wire', is < was, name, `limits.${limit}: ${writeLimit(was)} -> ${writeLimit(is)}`);
  }
  if (before.acceptSnakeCase !== after.acceptSnakeCase)
    tell(
      'wire',
      before.acceptSnakeCase,
      name,
      `snake case is ${after.acceptSnakeCase ? 'taken' : 'refused'} now`,
    );
  for (const old of before.methods) {
    const method = after.methods.find((one) => one.name === old.name);
    if (method === undefined) continue;
    const where = `${name}/${old.name}`;
    compareParts(where, withShapes(before, old), withShapes(after, method), tell);
    compareShapes(before, after, old.name, tell);
  }
}

/** The further arguments of a method that has none. */
const NO_ARGUMENTS = { type: 'object' as const, properties: {}, additionalProperties: false };

/** Returns a method with all arguments that its type has beside the standard ones. */
function withShapes(type: ModelType, method: ModelType['methods'][number]): MethodParts {
  const shapes = shapeArguments(type, method.name);
  const { properties, ...further } = method.arguments ?? NO_ARGUMENTS;
  return { ...method, arguments: { ...further, properties: { ...properties, ...shapes } } };
}

/** Tells where the same argument gives results by another property. */
function compareShapes(before: ModelType, after: ModelType, method: string, tell: Tell): void {
  if (method !== 'query') return;
  for (const shape of ['collapse', 'tree'] as const) {
    const [was, is] = [before.query?.[shape], after.query?.[shape]];
    if (was === undefined || is === undefined || was.by === is.by) continue;
    const old = after.properties.find(({ name }) => name === is.by)?.renamedFrom;
    if (old !== was.by)
      tell('wire', true, `${after.name}/query`, `${shape} is by ${is.by}, not ${was.by}`);
  }
}

/**
 * Tells which properties `text` filters read no more, and which ones too. Their order is nothing.
 */
function compareSearches(
  before: ModelType,
  after: ModelType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  for (const filter of after.filters) {
    const old = before.filters.find(({ name }) => name === filter.name);
    if (old?.operator !== 'text' || filter.operator !== 'text') continue;
    const was = names(old.properties ?? [old.property]);
    const is = names(filter.properties ?? [filter.property]);
    const { removed, added } = compareNames(was, is, renamed);
    const where = `${after.name}.${filter.name}`;
    if (removed.length > 0) tell('wire', true, where, `filter reads ${removed.join(', ')} no more`);
    if (added.length > 0) tell('wire', false, where, `filter reads ${added.join(', ')} too`);
  }
}

/** Returns a limit in words: Infinity stands for a type without one. */
function writeLimit(value: number): string {
  return value === Infinity ? 'none' : String(value);
}

/** Compares the properties and the queries of a type; `renamed` gives old names by the new. */
function compareType(
  before: SnapshotType,
  after: SnapshotType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const oldProperties = new Map(before.properties.map((property) => [property.name, property]));
  const kept = new Set<string>();
  // Undeclared values were told to clients, and go.
  let seen = before.keepsUnknown === true && after.keepsUnknown !== true;
  // States are those of users while a type has values of each user.
  seen ||= before.properties.some(isOwn) !== after.properties.some(isOwn);
  for (const property of after.properties) {
    const where = `${after.name}.${property.name}`;
    const same = oldProperties.get(property.name);
    const old = same ?? oldProperties.get(renamed.get(property.name) ?? '');
    if (old === undefined) {
      const what = `property added${property.required ? ', required' : ''}`;
      withoutInternal(tell, property)('wire', property.required, where, what);
      if (!isOwn(property)) tell('storage', false, where, 'column added');
      seen ||= isShown(property) && !startsAlike(property, after);
      continue;
    }
    kept.add(old.name);
    if (same === undefined) {
      withoutInternal(tell, old)('wire', true, where, `property renamed from ${old.name}`);
      tell('storage', false, where, 'values stay where they are');
      seen ||= isShown(old) || isShown(property);
    }
    seen = compareProperty(old, property, where, tell) || seen;
  }
  for (const [name, old] of oldProperties) {
    if (kept.has(name)) continue;
    const where = `${after.name}.${name}`;
    withoutInternal(tell, old)('wire', true, where, 'property removed');
    tell('storage', true, where, isOwn(old) ? 'its values go' : 'column dropped, its values go');
    seen ||= isShown(old);
  }
  compareQueries(before, after, renamed, tell);
  compareUniques(before, after, renamed, tell);
  if (seen) tell('sync', false, after.name, 'old states are refused: clients fetch the type anew');
}

function isOwn({ perUser }: SnapshotType['properties'][number]): boolean {
  return perUser === true;
}

type SnapshotSort = SnapshotType['sorts'][number];

/** Returns the name that a Comparator gives. */
function sortName({ name, property }: SnapshotSort): string {
  return name ?? property;
}

/** Returns whether a filter or sort reads what it read, under its present name. */
function isSameRead(old: string, now: string, renamed: ReadonlyMap<string, string>): boolean {
  const [property = '', ...rest] = now.split('/');
  return old === now || old === [renamed.get(property) ?? property, ...rest].join('/');
}

/** Tells where a sort of the same name orders objects otherwise, or takes another argument. */
function compareSort(
  old: SnapshotSort,
  sort: SnapshotSort,
  {
    where,
    renamed,
    tell,
  }: {
    readonly where: string;
    readonly renamed: ReadonlyMap<string, string>;
    readonly tell: Tell;
  },
): void {
  const at = `${where}.${sortName(sort)}`;
  if (!isSameRead(old.property, sort.property, renamed))
    tell('wire', true, at, `sort reads ${sort.property}, not ${old.property}`);
  const [was, is] = [old.by, sort.by].map((by) =>
    by === undefined ? 'the values' : `${by.operator} with ${by.argument}`,
  );
  if (was !== is) tell('wire', true, at, `sort is by ${is}, not ${was}`);
}

/** Compares filters, sorts and the names of methods. */
function compareQueries(
  before: SnapshotType,
  after: SnapshotType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const lists = [
    ['filter', names(before.filters), names(after.filters)],
    ['sort', before.sorts.map(sortName), after.sorts.map(sortName)],
    ['method', before.methods, after.methods],
  ] as const;
  for (const [what, old, now] of lists) {
    for (const name of now)
      if (!old.includes(name)) tell('wire', false, `${after.name}.${name}`, `${what} added`);
    for (const name of old)
      if (!now.includes(name)) tell('wire', true, `${after.name}.${name}`, `${what} removed`);
  }
  for (const filter of after.filters) {
    const old = before.filters.find(({ name }) => name === filter.name);
    if (old === undefined) continue;
    const where = `${after.name}.${filter.name}`;
    // Both read lists of properties, which compareSearches looks at.
    if (old.operator === 'text' && filter.operator === 'text') continue;
    if (old.operator !== filter.operator)
      tell('wire', true, where, `filter ${old.operator} -> ${filter.operator}`);
    if (!isSameRead(old.property, filter.property, renamed))
      tell('wire', true, where, `filter reads ${filter.property}, not ${old.property}`);
    if (old.all !== filter.all)
      tell('wire', true, where, `filter asks ${filter.all ? 'all' : 'any'} of the items now`);
  }
  for (const sort of after.sorts) {
    const old = before.sorts.find((one) => sortName(one) === sortName(sort));
    if (old !== undefined) compareSort(old, sort, { where: after.name, renamed, tell });
  }
}

/** Returns the names of a list's members. */
function names(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(({ name }) => name);
}
