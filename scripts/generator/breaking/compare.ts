import type { Place } from '../../../src/capability/places.js';
import { mayHaveText, placesBeside, placeText } from '../../../src/descriptor/blob-places.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { Renamed } from '../migrations/lineage.js';
import { narrowed } from '../migrations/narrowed.js';
import type { SnapshotProperty, SnapshotType } from '../migrations/snapshot.js';
import { snapshotType } from '../migrations/snapshot.js';
import { underNewNames } from './new-names.js';

/**
 * The layer that a change touches: clients' requests and answers, the database, or clients' caches.
 */
export type Layer = 'wire' | 'storage' | 'sync';

/** A difference between two models, as `jmapsmith breaking` prints it. */
export interface ModelChange {
  readonly layer: Layer;
  /** Clients that work with the old model stop working (wire), values go (storage). */
  readonly breaking: boolean;
  /** `Todo.text`, or a capability's URN. */
  readonly where: string;
  readonly what: string;
}

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
    compareMethods(old, capability, tell);
  }
  compareTypes(before, after, tell);
  return changes;
}

/** Records a difference; `where` and `what` are words for people. */
type Tell = (layer: Layer, breaking: boolean, where: string, what: string) => void;

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

/** Arguments must take all that they took; a response must not give what it did not give. */
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

/** The further arguments and response of a standard method; without them it has none. */
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
  const typesOf = (model: Model) => model.capabilities.flatMap(({ types }) => types);
  const wholes = new Map(typesOf(before).map((type) => [type.name, type]));
  const oldTypes = new Map([...wholes].map(([name, type]) => [name, snapshotType(type)]));
  const oldOf = (type: ModelType) =>
    oldTypes.get(type.name) ?? oldTypes.get(type.renamedFrom ?? '');
  const renames = typesOf(after).flatMap((type) => findRenames(oldOf(type), type));
  const seen = new Set<string>();
  for (const type of typesOf(after)) {
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
    compareType(renamedWithin(old, renames), snapshotType(type), renamed, tell);
    const whole = wholes.get(old.name);
    if (whole !== undefined) {
      compareWhole(whole, type, tell);
      compareSearches(whole, type, renamed, tell);
    }
  }
  for (const [name] of oldTypes) {
    if (seen.has(name)) continue;
    tell('wire', true, name, 'type removed');
    tell('storage', true, name, 'its table and all data in it go');
  }
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

/** A reference to a renamed type or property is the same as before. */
function renamedWithin(type: SnapshotType, renames: readonly Renamed[]): SnapshotType {
  const named = (name: string) => renames.find(({ from }) => from === name)?.to ?? name;
  const properties = type.properties.map((property) => {
    const { reference, computed } = property;
    return {
      ...property,
      ...(reference && { reference: { ...reference, type: named(reference.type) } }),
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
    if (method !== undefined) compareParts(`${name}/${old.name}`, old, method, tell);
  }
}

/** A `text` filter reads several properties, in any order: with other ones it answers otherwise. */
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
    const known = (name: string) => was.includes(name) || was.includes(renamed.get(name) ?? name);
    const kept = new Set(is.flatMap((name) => [name, renamed.get(name) ?? name]));
    const lost = was.filter((name) => !kept.has(name));
    const gained = is.filter((name) => !known(name));
    const where = `${after.name}.${filter.name}`;
    if (lost.length > 0) tell('wire', true, where, `filter reads ${lost.join(', ')} no more`);
    if (gained.length > 0) tell('wire', false, where, `filter reads ${gained.join(', ')} too`);
  }
}

/** Returns a limit in words: Infinity stands for a type without one. */
function writeLimit(value: number): string {
  return value === Infinity ? 'none' : String(value);
}

/**
 * Compares the properties, queries and limits of one type; `renamed` gives new names by the old.
 */
function compareType(
  before: SnapshotType,
  after: SnapshotType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const oldProperties = new Map(before.properties.map((property) => [property.name, property]));
  const kept = new Set<string>();
  let seen = false;
  for (const property of after.properties) {
    const where = `${after.name}.${property.name}`;
    const same = oldProperties.get(property.name);
    const old = same ?? oldProperties.get(renamed.get(property.name) ?? '');
    if (old === undefined) {
      tell(
        'wire',
        property.required,
        where,
        `property added${property.required ? ', required' : ''}`,
      );
      tell('storage', false, where, 'column added');
      seen ||= isVisible(property);
      continue;
    }
    kept.add(old.name);
    if (same === undefined) {
      tell('wire', true, where, `property renamed from ${old.name}`);
      tell('storage', false, where, 'values stay where they are');
      seen = true;
    }
    seen = compareProperty(old, property, where, tell) || seen;
  }
  for (const [name, old] of oldProperties) {
    if (kept.has(name)) continue;
    tell(
      'wire',
      isVisible(old) || old.access === 'secret',
      `${after.name}.${name}`,
      'property removed',
    );
    tell('storage', true, `${after.name}.${name}`, 'column dropped, its values go');
    seen ||= isVisible(old);
  }
  compareQueries(before, after, renamed, tell);
  if (seen) tell('sync', false, after.name, 'old states are refused: clients fetch the type anew');
}

/** Returns whether clients would see other values. */
function compareProperty(
  before: SnapshotProperty,
  after: SnapshotProperty,
  where: string,
  tell: Tell,
): boolean {
  if (before.kind !== after.kind) {
    tell('wire', true, where, `values were ${before.kind} and are ${after.kind}`);
    tell('storage', true, where, 'column of another type: its values go');
    return true;
  }
  if (before.nullable !== after.nullable) {
    tell('wire', true, where, after.nullable ? 'null is possible now' : 'null is refused now');
    tell('storage', !after.nullable, where, after.nullable ? 'column nullable' : 'null is filled');
  }
  const less = narrowed(before.schema, after.schema, '');
  const more = narrowed(after.schema, before.schema, '');
  if (less !== undefined) {
    tell('wire', true, where, `takes less: it ${less}`);
    tell('storage', false, where, 'values that do not fit stay, and are readable');
  } else if (more !== undefined) tell('wire', false, where, 'takes and gives more than it did');
  if (!before.required && after.required) tell('wire', true, where, 'a create must give it now');
  if (before.required && !after.required) tell('wire', false, where, 'a create may leave it out');
  if (canonicalJson(before.default ?? null) !== canonicalJson(after.default ?? null))
    tell('wire', false, where, 'its default changed');
  if (before.access !== after.access)
    tell('wire', takesAway(before, after), where, `access: ${before.access} -> ${after.access}`);
  if (before.secret !== after.secret)
    tell('storage', true, where, 'sealed otherwise: its values go');
  const retargeted =
    before.reference !== undefined &&
    after.reference !== undefined &&
    before.reference.type !== after.reference.type;
  if (canonicalJson(before.reference ?? null) !== canonicalJson(after.reference ?? null)) {
    tell('wire', after.reference !== undefined, where, 'what it refers to changed');
    if (retargeted)
      tell('storage', true, where, 'refers to objects of another type: its values go');
    else tell('storage', false, where, 'its reference records are made anew');
  }
  const gained = placesBeside(after.blobs, before.blobs);
  const lost = placesBeside(before.blobs, after.blobs);
  const within = (place: Place): string => (place.length === 0 ? '' : ` at ${placeText(place)}`);
  for (const place of gained)
    tell('wire', mayHaveText(before.schema, place), where, `holds a blob now${within(place)}`);
  for (const place of lost) tell('wire', false, where, `holds no blob any more${within(place)}`);
  if (gained.length + lost.length > 0)
    tell('storage', false, where, 'its blob records are made anew');
  const recomputed =
    canonicalJson(before.computed ?? null) !== canonicalJson(after.computed ?? null);
  if (recomputed && after.computed !== undefined)
    tell('storage', true, where, 'is computed for the objects that exist: its values go');
  return (
    isVisible(before) !== isVisible(after) ||
    (before.nullable && !after.nullable) ||
    (retargeted && isVisible(after)) ||
    (recomputed && after.computed !== undefined && isVisible(after))
  );
}

/** Returns whether clients can do less with the property than they could. */
function takesAway(before: SnapshotProperty, after: SnapshotProperty): boolean {
  const [was, is] = [ABILITIES[before.access], ABILITIES[after.access]];
  return [...was].some((ability) => !is.includes(ability));
}

/** r: read, c: give at create, w: write later. */
const ABILITIES: Readonly<Record<SnapshotProperty['access'], string>> = Object.freeze({
  mutable: 'rcw',
  immutable: 'rc',
  serverSet: 'r',
  secret: 'cw',
  internal: '',
});

/** Filters, sorts, methods and unique properties. */
function compareQueries(
  before: SnapshotType,
  after: SnapshotType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const lists = [
    ['filter', names(before.filters), names(after.filters)],
    ['sort', before.sorts.map((sort) => sort.property), after.sorts.map((sort) => sort.property)],
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
    const property = renamed.get(filter.property) ?? filter.property;
    if (old.property !== filter.property && old.property !== property)
      tell('wire', true, where, `filter reads ${filter.property}, not ${old.property}`);
  }
  const key = (unique: readonly string[]) => [...unique].sort().join('+');
  const held = new Set(before.uniques.map(key));
  for (const unique of after.uniques) {
    if (held.has(key(unique.map((name) => renamed.get(name) ?? name))) || held.has(key(unique)))
      continue;
    const where = `${after.name}.${unique.join('+')}`;
    tell('wire', true, where, 'must be unique now');
    tell('storage', true, where, 'the migration is refused where objects collide');
  }
}

/** Returns the names of a list's members. */
function names(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(({ name }) => name);
}

/** Returns whether clients can read a property. */
function isVisible({ access }: SnapshotProperty): boolean {
  return access !== 'internal' && access !== 'secret';
}
