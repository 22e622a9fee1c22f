import { canonicalJson } from '../model/hash.js';
import type { Model, ModelProperty, ModelType, Problem } from '../model.js';
import type { Snapshot } from './history.js';
import type { TableRename } from './renames.js';
import type { SnapshotProperty, SnapshotType } from './snapshot.js';

/**
 * Changes that the tables don't show: values that exist would not be legal any more, or mean something
 * else. `drops` at the type accepts the first: they stay and are readable (D13).
 */
export function narrowings(
  snapshot: Snapshot,
  renames: readonly TableRename[],
  model: Model,
): readonly Problem[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return types.flatMap((type) => {
    const { known, rename } = releasedType(snapshot, renames, type);
    if (known === undefined) return [];
    return [
      ...singletonProblem(known, type),
      ...type.properties.flatMap((property): readonly Problem[] => {
        const before = releasedProperty(known, rename, property);
        if (before === undefined) return [];
        if (before.secret !== property.secret) {
          if (!type.drops.includes(property.name)) return [secretProblem(type, property, before)];
          const { nullable, default: value } = property;
          return nullable || value !== undefined ? [] : [emptiedProblem(type, property)];
        }
        if (type.drops.includes(property.name)) return [];
        if (before.kind !== property.kind || property.computed !== undefined) return [];
        const what = narrowed(before.schema, property.schema, '');
        return what === undefined ? [] : [narrowedProblem(type, property, what)];
      }),
    ];
  });
}

/**
 * The types whose properties take more or fewer values than the released state says: the next state is
 * told apart from this one, so it must be released too, though no table changes.
 */
export function redefined(
  snapshot: Snapshot,
  renames: readonly TableRename[],
  model: Model,
): readonly string[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return types
    .filter((type) => {
      const { known, rename } = releasedType(snapshot, renames, type);
      return type.properties.some((property) => {
        const before = known && releasedProperty(known, rename, property);
        if (before === undefined || before.kind !== property.kind) return false;
        const { schema } = property;
        return (
          (narrowed(before.schema, schema, '') ?? narrowed(schema, before.schema, '')) !== undefined
        );
      });
    })
    .map(({ name }) => name);
}

/** Columns whose text is sealed otherwise now: what they hold can't be kept. By table. */
export function resealed(
  snapshot: Snapshot,
  renames: readonly TableRename[],
  model: Model,
): ReadonlyMap<string, ReadonlySet<string>> {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return new Map(
    types.map((type) => {
      const { known, rename } = releasedType(snapshot, renames, type);
      const columns = type.properties.filter((property) => {
        const before = known && releasedProperty(known, rename, property);
        return before !== undefined && before.secret !== property.secret;
      });
      return [type.table, new Set(columns.map(({ column }) => column))];
    }),
  );
}

function releasedType(
  snapshot: Snapshot,
  renames: readonly TableRename[],
  { table }: ModelType,
): { readonly known: SnapshotType | undefined; readonly rename: TableRename | undefined } {
  const rename = renames.find(({ to }) => to === table);
  return { known: releasedTypes(snapshot).get(rename?.from ?? table), rename };
}

const RELEASED = new WeakMap<Snapshot, ReadonlyMap<string, SnapshotType>>();

/** The types of the released state by table: of hundreds of types, each is looked up several times. */
function releasedTypes(snapshot: Snapshot): ReadonlyMap<string, SnapshotType> {
  const known = RELEASED.get(snapshot);
  if (known !== undefined) return known;
  const types = snapshot.model?.capabilities.flatMap((capability) => capability.types) ?? [];
  const byTable = new Map(types.map((type) => [type.table, type]));
  RELEASED.set(snapshot, byTable);
  return byTable;
}

function releasedProperty(
  known: SnapshotType,
  rename: TableRename | undefined,
  { column }: ModelProperty,
): SnapshotProperty | undefined {
  const old = rename?.columns.find(({ to }) => to === column)?.from ?? column;
  return known.properties.find((property) => property.column === old);
}

function narrowedProblem(type: ModelType, property: ModelProperty, what: string): Problem {
  return {
    at: property.at,
    code: 'property-narrowed',
    message:
      `${type.name}.${property.name}: ${what}. Objects that exist may have other values: they would stay and be ` +
      `readable, and no client could write them again. Write \`drops: [${property.name}]\` at the type to accept ` +
      'that; or leave it as wide as it was.',
  };
}

function secretProblem(
  type: ModelType,
  property: ModelProperty,
  { secret }: SnapshotProperty,
): Problem {
  const form = (how: string | undefined) =>
    how === undefined ? 'as text' : how === 'hash' ? 'as a hash' : 'encrypted';
  return {
    at: property.at,
    code: 'property-sealed-otherwise',
    message:
      `${type.name}.${property.name} was stored ${form(secret)} and would now be stored ${form(property.secret)}: ` +
      `what is there would be taken for something else. Write \`drops: [${property.name}]\` at the type to give the ` +
      'values up, or declare a property of another name.',
  };
}

function emptiedProblem(type: ModelType, property: ModelProperty): Problem {
  return {
    at: property.at,
    code: 'property-without-default',
    message:
      `${type.name}.${property.name} gives its values up, and the objects that exist have no other: ` +
      'give it a default or make it nullable.',
  };
}

function singletonProblem(known: SnapshotType, type: ModelType): readonly Problem[] {
  if (known.singleton === type.singleton) return [];
  const [was, is] = known.singleton ? ['one object', 'many'] : ['many objects', 'one'];
  return [
    {
      at: type.at,
      code: 'singleton-changed',
      message:
        `${type.name} had ${was} in an account and would now have ${is}: what exists would have ids that ` +
        'nobody can name. Declare a type of another name, and give this one up in a later release.',
    },
  ];
}

type Schema = Readonly<Record<string, unknown>>;

const UPPER = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const LOWER = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const EXACT = ['pattern', 'format', 'const', 'multipleOf', 'uniqueItems'];

/** What was legal and is not; undefined where nothing is known to be. `path`: inside the value. */
export function narrowed(before: unknown, after: unknown, path: string): string | undefined {
  if (!isSchema(before) || !isSchema(after)) {
    return after === false && before !== false ? `${path || 'a value'} is refused now` : undefined;
  }
  const at = path === '' ? '' : `"${path}" `;
  return (
    narrowedTypes(before, after, at) ??
    narrowedEnum(before, after, at) ??
    narrowedBounds(before, after, at) ??
    narrowedMembers(before, after, path) ??
    narrowedParts(before, after, path)
  );
}

function narrowedTypes(before: Schema, after: Schema, at: string): string | undefined {
  const now = typesOf(after);
  if (now === undefined) return undefined;
  const old = typesOf(before);
  if (old === undefined) return `${at}is ${now.join(' or ')} now, and was anything`;
  // Null has a refusal of its own (property-not-nullable), but not within a value.
  const gone = old.filter(
    (type) =>
      !now.includes(type) &&
      !(type === 'integer' && now.includes('number')) &&
      (type !== 'null' || at !== ''),
  );
  return gone.length === 0 ? undefined : `${at}takes no ${gone.join(' and no ')} any more`;
}

function narrowedEnum(before: Schema, after: Schema, at: string): string | undefined {
  if (!Array.isArray(after['enum'])) return undefined;
  if (!Array.isArray(before['enum'])) return `${at}has an enum now`;
  const now = new Set(after['enum'].map(canonicalJson));
  const gone = before['enum'].filter((value) => value !== null && !now.has(canonicalJson(value)));
  if (gone.length === 0) return undefined;
  return `${at}loses ${gone.map((value) => JSON.stringify(value)).join(', ')} of its enum`;
}

function narrowedBounds(before: Schema, after: Schema, at: string): string | undefined {
  for (const [names, sign] of [
    [UPPER, 1],
    [LOWER, -1],
  ] as const)
    for (const name of names) {
      const now = after[name];
      if (typeof now !== 'number') continue;
      const old = before[name];
      if (old === undefined && name.startsWith('min') && now <= 0 && name !== 'minimum') continue;
      if (old === undefined) return `${at}has ${name}: ${now} now`;
      if (typeof old === 'number' && sign * now < sign * old)
        return `${at}has ${name}: ${now}, which was ${old}`;
    }
  for (const name of EXACT) {
    const now = after[name];
    if (now === undefined || now === false) continue;
    const old = before[name];
    if (canonicalJson(old ?? null) !== canonicalJson(now))
      return `${at}has ${name}: ${JSON.stringify(now)}${old === undefined ? ' now' : `, which was ${JSON.stringify(old)}`}`;
  }
  return undefined;
}

function narrowedMembers(before: Schema, after: Schema, path: string): string | undefined {
  const [old, now] = [membersOf(before), membersOf(after)];
  const closed = after['additionalProperties'] === false;
  for (const name of Object.keys(old)) {
    const inner = path === '' ? name : `${path}/${name}`;
    if (now[name] === undefined && closed) return `"${inner}" is refused now`;
    const what = now[name] === undefined ? undefined : narrowed(old[name], now[name], inner);
    if (what !== undefined) return what;
  }
  const given = new Set(Array.isArray(before['required']) ? before['required'] : []);
  const more = (Array.isArray(after['required']) ? after['required'] : []).filter(
    (name) => !given.has(name),
  );
  return more.length === 0 ? undefined : `"${String(more[0])}" is required in it now`;
}

function narrowedParts(before: Schema, after: Schema, path: string): string | undefined {
  for (const name of ['items', 'additionalProperties', 'propertyNames']) {
    if (after[name] === undefined) continue;
    const inner = path === '' ? name : `${path}/${name}`;
    const closes = name === 'additionalProperties' && after[name] === false;
    // Named members that a closed object has are judged above; an open one held any.
    if (closes && before[name] === false) continue;
    const what = narrowed(before[name] ?? {}, after[name], inner);
    if (what !== undefined) return what;
  }
  return undefined;
}

function typesOf({ type }: Schema): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? (type as readonly string[]) : undefined;
}

function membersOf({ properties }: Schema): Schema {
  return isSchema(properties) ? properties : {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
