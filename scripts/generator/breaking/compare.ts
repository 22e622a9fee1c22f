import type { SnapshotProperty, SnapshotType } from '../migrations/snapshot.js';
import { snapshotType } from '../migrations/snapshot.js';
import { canonicalJson } from '../model/hash.js';
import type { Model } from '../model.js';

/**
 * What a change touches: what clients send and get, what the database keeps, or what clients hold
 * in their caches.
 */
export type Layer = 'wire' | 'storage' | 'sync';

export interface ModelChange {
  readonly layer: Layer;
  /** Clients that work with the old model stop working (wire), values go (storage). */
  readonly breaking: boolean;
  /** `Todo.text`, or a capability's URN. */
  readonly where: string;
  readonly what: string;
}

/** Every change from one model to another, in order of the models. */
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
    if (canonicalJson(old.session) !== canonicalJson(capability.session))
      tell('wire', false, old.urn, 'its object in the session changed');
    compareMethods(old, capability, tell);
  }
  compareTypes(before, after, tell);
  return changes;
}

type Tell = (layer: Layer, breaking: boolean, where: string, what: string) => void;

function compareMethods(
  before: Model['capabilities'][number],
  after: Model['capabilities'][number],
  tell: Tell,
): void {
  for (const { name } of after.methods)
    if (!before.methods.some((old) => old.name === name)) tell('wire', false, name, 'method added');
  for (const old of before.methods) {
    const method = after.methods.find(({ name }) => name === old.name);
    if (method === undefined) tell('wire', true, old.name, 'method removed');
    else
      for (const part of ['arguments', 'response'] as const)
        if (canonicalJson(old[part]) !== canonicalJson(method[part]))
          tell('wire', true, old.name, `its ${part} changed`);
  }
}

function compareTypes(before: Model, after: Model, tell: Tell): void {
  const typesOf = (model: Model) => model.capabilities.flatMap(({ types }) => types);
  const olds = new Map(typesOf(before).map((type) => [type.name, snapshotType(type)]));
  const seen = new Set<string>();
  for (const type of typesOf(after)) {
    const same = olds.get(type.name);
    const old = same ?? (type.renamedFrom === undefined ? undefined : olds.get(type.renamedFrom));
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
    compareType(old, snapshotType(type), renamed, tell);
  }
  for (const [name] of olds) {
    if (seen.has(name)) continue;
    tell('wire', true, name, 'type removed');
    tell('storage', true, name, 'its table and all data in it go');
  }
}

function compareType(
  before: SnapshotType,
  after: SnapshotType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const olds = new Map(before.properties.map((property) => [property.name, property]));
  const kept = new Set<string>();
  let seen = false;
  for (const property of after.properties) {
    const where = `${after.name}.${property.name}`;
    const same = olds.get(property.name);
    const old = same ?? olds.get(renamed.get(property.name) ?? '');
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
      tell('storage', false, where, 'column renamed, values kept');
      seen = true;
    }
    seen = compareProperty(old, property, where, tell) || seen;
  }
  for (const [name, old] of olds) {
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
  compareQueries(before, after, tell);
  if (seen) tell('sync', false, after.name, 'old states are refused: clients fetch the type anew');
}

/** Whether clients would see other values. */
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
  } else if (canonicalJson(before.schema) !== canonicalJson(after.schema))
    tell('wire', true, where, 'its schema changed');
  if (!before.required && after.required) tell('wire', true, where, 'a create must give it now');
  if (before.required && !after.required) tell('wire', false, where, 'a create may leave it out');
  if (canonicalJson(before.default ?? null) !== canonicalJson(after.default ?? null))
    tell('wire', false, where, 'its default changed');
  if (before.access !== after.access)
    tell('wire', after.access !== 'mutable', where, `access: ${before.access} -> ${after.access}`);
  if (canonicalJson(before.reference ?? null) !== canonicalJson(after.reference ?? null))
    tell('wire', after.reference !== undefined, where, 'what it refers to changed');
  return isVisible(before) !== isVisible(after) || (before.nullable && !after.nullable);
}

/** Filters, sorts, methods and unique properties. */
function compareQueries(before: SnapshotType, after: SnapshotType, tell: Tell): void {
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
    if (old !== undefined && old.operator !== filter.operator)
      tell(
        'wire',
        true,
        `${after.name}.${filter.name}`,
        `filter ${old.operator} -> ${filter.operator}`,
      );
  }
  for (const unique of after.uniques)
    if (!before.uniques.some((old) => old.join() === unique.join()))
      tell('wire', true, `${after.name}.${unique.join('+')}`, 'must be unique now');
}

function names(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(({ name }) => name);
}

function isVisible({ access }: SnapshotProperty): boolean {
  return access !== 'internal' && access !== 'secret';
}
