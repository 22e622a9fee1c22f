import type fc from 'fast-check';
import { MEMBER_NAMES, VERBS } from './names.js';
import { type Definitions, type Schema, valuesOf } from './values.js';

/** Random descriptors declare logic: computed properties, own methods, further members. */

/** The parts of the maker of descriptors that this module needs. */
export interface Dice {
  chance(percent: number): boolean;
  one<T>(all: readonly T[]): T;
  distinct(all: readonly string[], count: number): readonly string[];
  draw<T>(make: () => fc.Arbitrary<T>): T;
  /** A schema as it stands within another. */
  inner(): Schema;
}

interface Typed {
  readonly properties: Record<string, Schema>;
  readonly [key: string]: unknown;
}

interface Described {
  readonly types: Record<string, Typed>;
  readonly $defs?: Definitions;
}

const SERVER = ['serverSet', 'serverSet', 'serverSet', 'internal'] as const;

/** Adds to types and descriptors what a hook file has to implement. */
export function addLogic(descriptors: readonly Described[], dice: Dice): void {
  const types = descriptors.flatMap((each) => Object.entries(each.types));
  const many = types.filter(([, type]) => type['singleton'] !== true);
  for (const [index, descriptor] of descriptors.entries()) {
    for (const [name, type] of Object.entries(descriptor.types)) {
      if (type['singleton'] !== true && dice.chance(50)) follow(name, type, dice.one(many), dice);
      measure(type, dice);
      if (dice.chance(60)) copy(type, descriptor.$defs ?? {}, dice);
      if (dice.chance(30)) further(type, dice);
    }
    const names = [...Object.keys(descriptor.types), `Zebra${index}`];
    const methods = dice
      .distinct(VERBS, 2)
      .map((verb) => [`${dice.one(names)}/${verb}`, own(dice)]);
    Object.assign(descriptor, { methods: Object.fromEntries(methods) });
  }
}

/** How many objects of another type there are, or their ids: told anew where one comes or goes. */
function follow(
  name: string,
  type: Typed,
  [other, { properties }]: readonly [string, Typed],
  dice: Dice,
): void {
  const more = dice.chance(50) ? [`${other}.${dice.one(Object.keys(properties))}`] : [];
  const on = [...new Set([`${name}.created`, `${other}.created`, ...more])];
  const shape: Schema = dice.chance(50)
    ? { type: 'integer', default: 0 }
    : { type: 'array', items: { type: 'string', format: 'id' }, default: [] };
  type.properties['following'] = { ...shape, access: 'serverSet', computed: { on } };
}

/** A number of some of the object's properties, and a text of that number. */
function measure(type: Typed, dice: Dice): void {
  const sources = Object.keys(type.properties).filter((name) => !isSecret(type, name));
  if (sources.length === 0 || dice.chance(30)) return;
  const from = dice.distinct(sources, Math.min(sources.length, dice.chance(50) ? 1 : 3));
  const access = dice.one(SERVER);
  type.properties['measured'] = { type: 'integer', default: 0, access, computed: { from } };
  const computed = { from: ['measured'] };
  const chained = { type: 'string', maxLength: 50, default: '', access: 'serverSet', computed };
  if (dice.chance(50)) type.properties['chained'] = chained;
  const { filter, sort } = type as { filter?: object; sort?: unknown[] };
  if (filter === undefined || access === 'internal') return;
  Object.assign(filter, { measuredIs: { property: 'measured', is: 'equals', indexed: true } });
  sort?.push({ property: 'measured', indexed: dice.chance(50) });
}

function isSecret({ properties }: Typed, name: string): boolean {
  return properties[name]?.['access'] === 'secret';
}

/** The keys of a value's schema, without those that only a property has. */
const SHAPE_KEYS: ReadonlySet<string> = new Set([
  ...['type', 'format', 'enum', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required', 'setOf', '$ref'],
  ...['additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
]);

/** The same value as another property, of any schema. */
function copy(type: Typed, definitions: Definitions, dice: Dice): void {
  const sources = Object.entries(type.properties).filter(
    ([name, schema]) =>
      !isSecret(type, name) &&
      schema['computed'] === undefined &&
      schema['blob'] === undefined &&
      schema['onDestroy'] === undefined,
  );
  if (sources.length === 0) return;
  const [source, schema] = dice.one(sources);
  const shape = Object.fromEntries(Object.entries(schema).filter(([key]) => SHAPE_KEYS.has(key)));
  const isNullable = Array.isArray(schema.type) && schema.type.includes('null');
  const value =
    schema['default'] ?? (isNullable ? undefined : dice.draw(() => valuesOf(shape, definitions)));
  type.properties['copied'] = {
    ...shape,
    ...(value === undefined ? {} : { default: value }),
    access: dice.one(SERVER),
    computed: { from: [source] },
  };
}

/** Members beside the standard ones of a method that the type has. */
function further(type: Typed, dice: Dice): void {
  const all = (type as { standardMethods?: readonly string[] }).standardMethods ?? [
    ...['get', 'changes', 'set'],
    ...(type['singleton'] === true ? [] : ['query', 'queryChanges', 'copy']),
  ];
  const response = { type: 'object', properties: { made: dice.inner() }, required: ['made'] };
  const args = { type: 'object', properties: { wanted: dice.inner() } };
  const extended = { response, ...(dice.chance(50) ? { arguments: args } : {}) };
  const methods = all.map((verb) => [verb, verb === 'get' ? extended : {}]);
  Object.assign(type, { standardMethods: Object.fromEntries(methods) });
}

/** A `#` before an argument is a result reference (RFC 8620 3.7). */
const ARGUMENT_NAMES = MEMBER_NAMES.filter((name) => !name.startsWith('#'));

/** A method that gives back its arguments, and a value of some schema. */
function own(dice: Dice): Schema {
  const account = dice.one(['none', 'read', 'write']);
  const names = dice.distinct(ARGUMENT_NAMES, 2);
  const accountId = account === 'none' ? {} : { accountId: { type: 'string' } };
  const args = {
    type: 'object',
    properties: { ...accountId, ...Object.fromEntries(names.map((name) => [name, dice.inner()])) },
    required: [...Object.keys(accountId), ...(dice.chance(50) ? names.slice(0, 1) : [])],
  };
  return {
    account,
    arguments: args,
    response: {
      type: 'object',
      properties: { given: args, made: dice.inner() },
      required: ['given', 'made'],
    },
  };
}
