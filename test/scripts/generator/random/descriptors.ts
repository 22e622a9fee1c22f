import fc from 'fast-check';
import { FORMAT_NAMES, formatNamed } from '../../../../src/capability/formats/index.js';
import { addLogic } from './logic.js';
import { MEMBER_NAMES, PROPERTY_NAMES, TYPE_NAMES, WORDS } from './names.js';
import { type Definitions, type Json, type Schema, valuesOf } from './values.js';

/** Random descriptors that keep every rule of the language (docs/reference/descriptors.md). */

export interface RandomType {
  readonly properties: Record<string, Schema>;
  readonly required: readonly string[];
  readonly [key: string]: unknown;
}

export interface RandomDescriptor {
  readonly capability: string;
  readonly types: Record<string, RandomType>;
  readonly $defs?: Definitions;
  readonly methods?: Readonly<Record<string, RandomMethod>>;
  readonly [key: string]: unknown;
}

export interface RandomMethod {
  readonly account: string;
  readonly arguments: Schema;
  readonly response: { readonly properties: { readonly given: Schema; readonly made: Schema } };
}

/** By base name of the file. */
export type RandomProject = Readonly<Record<string, RandomDescriptor>>;

export interface Size {
  readonly files: number;
  readonly types: number;
  readonly properties: number;
}

export function projects(size: Size): fc.Arbitrary<RandomProject> {
  return fc.gen().map((gen) => new Maker(gen as never).project(size));
}

type Gen = <T, A extends unknown[]>(make: (...args: A) => fc.Arbitrary<T>, ...args: A) => T;

/** The parts of a type of the project that other types may refer to. */
interface Known {
  readonly name: string;
  readonly singleton: boolean;
}

class Maker {
  readonly #gen: Gen;
  #definitions: Definitions = {};

  constructor(gen: Gen) {
    this.#gen = gen;
  }

  project({ files, types, properties }: Size): RandomProject {
    const names = this.#distinct(TYPE_NAMES, files * types);
    const known = names.map((name) => ({ name, singleton: this.#chance(10) }));
    const project = Object.fromEntries(
      Array.from({ length: files }, (_, index) => {
        const own = known.slice(index * types, (index + 1) * types);
        return [`file-${index}`, this.#descriptor(index, own, known, properties)];
      }),
    );
    const descriptors: readonly RandomDescriptor[] = Object.values(project);
    const all = new Map<string, RandomType>(
      descriptors.flatMap((each) => Object.entries(each.types)),
    );
    for (const [type, { properties: own }] of all)
      for (const [by, schema] of Object.entries(own))
        if (this.#chance(60)) this.#count(all.get(targetOf(schema) ?? ''), type, by);
    addLogic(descriptors, {
      chance: (percent) => this.#chance(percent),
      one: (values) => this.#one(values),
      distinct: (values, count) => this.#distinct(values, count),
      draw: (make) => this.#gen(make),
      inner: () => this.#inner(1),
    });
    return project;
  }

  /** The type counts those that refer to it. */
  #count(target: RandomType | undefined, type: string, by: string): void {
    if (target === undefined) return;
    const computed = { count: type, by };
    Object.assign(target.properties, {
      counted: { type: 'integer', default: 0, access: 'serverSet', computed },
    });
    const filter = target['filter'];
    if (typeof filter === 'object' && filter !== null)
      Object.assign(filter, { countedIs: { property: 'counted', is: 'equals' } });
  }

  #descriptor(
    index: number,
    own: readonly Known[],
    known: readonly Known[],
    properties: number,
  ): RandomDescriptor {
    this.#definitions = {
      part: { type: 'object', properties: { city: this.#scalar(), zip: this.#scalar() } },
      word: { type: 'string', enum: ['red', 'green', "it's"] },
    };
    const urls = [`urn:example:f${index}`, `https://example.com/jmap/f${index}`];
    return {
      capability: this.#one(urls),
      ...this.#sometimes({ description: this.#one(WORDS) }),
      ...this.#sometimes({ session: { madeOf: ['brass', this.#one(WORDS)], __proto: 1 } }),
      ...this.#sometimes({ accountSession: { '*/': this.#one(WORDS) } }),
      ...this.#sometimes({ oauthScopes: { full: "*/'~", read: `f${index}.read` } }),
      $defs: this.#definitions,
      types: Object.fromEntries(
        own.map((type) => [type.name, this.#type(type, known, properties)]),
      ),
    };
  }

  #type({ name, singleton }: Known, known: readonly Known[], count: number): RandomType {
    const targets = known.filter((each) => !each.singleton).map((each) => each.name);
    const names = this.#distinct(PROPERTY_NAMES, this.#int(1, count));
    const required: string[] = [];
    const properties: Record<string, Schema> = {};
    for (const each of names) {
      const made = this.#property(name, targets, singleton);
      properties[each] = made.schema;
      if (made.isRequired) required.push(each);
    }
    // Singletons have nothing to list: what else a type says is about many objects.
    if (singleton) return { singleton, properties, required: undefined as never };
    const hasQuery = this.#chance(85);
    return {
      ...this.#sometimes({ description: this.#one(WORDS) }),
      ...this.#sometimes({ deprecated: this.#one(WORDS) }),
      ...this.#sometimes({ acceptSnakeCase: true }),
      ...this.#sometimes({ limits: { count: 1000, octets: 1_000_000 } }),
      properties,
      required,
      ...(hasQuery ? this.#queries(properties) : { standardMethods: ['get', 'changes', 'set'] }),
      ...this.#lists(properties),
    };
  }

  #property(
    own: string,
    targets: readonly string[],
    singleton: boolean,
  ): { readonly schema: Schema; readonly isRequired: boolean } {
    const said = {
      ...this.#sometimes({ description: this.#one(WORDS) }),
      ...this.#sometimes({ deprecated: this.#one(WORDS) }),
    };
    const roll = this.#int(0, 99);
    if (roll < 15 && targets.length > 0 && !singleton)
      return { schema: { ...said, ...this.#reference(own, targets) }, isRequired: false };
    if (roll < 20)
      return { schema: { type: ['string', 'null'], blob: true, ...said }, isRequired: false };
    if (roll < 24 && !singleton)
      return { schema: { ...said, ...this.#secret() }, isRequired: false };
    const shape = this.#shape();
    const access = this.#one([
      ...['mutable', 'mutable', 'mutable', 'serverSet', 'internal'],
      ...(singleton ? [] : ['immutable']),
    ]);
    const writable = access === 'mutable' || access === 'immutable';
    const schema = { ...shape, ...said, ...(access === 'mutable' ? {} : { access }) };
    const isRef = shape['$ref'] !== undefined;
    if (this.#chance(30) && !isRef) return { schema: nullable(schema), isRequired: false };
    if (this.#chance(30) && writable && !singleton) return { schema, isRequired: true };
    const value = this.#gen(() => valuesOf(shape, this.#definitions));
    return { schema: { ...schema, default: value }, isRequired: false };
  }

  #reference(own: string, targets: readonly string[]): Schema {
    const references = this.#one(targets);
    const onDestroy = this.#one(['restrict', 'cascade', 'setNull']);
    const acyclic = references === own && this.#chance(50) ? { acyclic: true } : {};
    switch (this.#int(0, 2)) {
      case 0:
        return { type: ['string', 'null'], references, onDestroy, ...acyclic };
      case 1:
        return {
          type: 'array',
          items: { type: 'string' },
          references,
          onDestroy,
          default: [],
          ...acyclic,
        };
      default:
        return { setOf: references, onDestroy, default: {}, ...acyclic };
    }
  }

  #secret(): Schema {
    const stored = this.#one(['encrypt', 'hash']);
    return { type: ['string', 'null'], access: 'secret', stored, maxLength: 50 };
  }

  #shape(depth = 0): Schema {
    const roll = this.#int(0, depth > 2 ? 5 : 12);
    if (roll < 6) return this.#scalar();
    if (roll === 6)
      return { type: 'array', items: this.#inner(depth), ...this.#sometimes({ maxItems: 7 }) };
    if (roll === 7) return this.#set();
    if (roll === 8 && depth === 0) return { $ref: this.#one(['#/$defs/part', '#/$defs/word']) };
    if (roll === 9)
      return {
        type: 'object',
        additionalProperties: this.#one([true, this.#inner(depth)]),
        ...this.#sometimes({ propertyNames: { format: 'id' } }),
      };
    const names = this.#distinct(MEMBER_NAMES, this.#int(1, 4));
    const properties = record(names.map((name) => [name, this.#inner(depth)]));
    return {
      type: 'object',
      properties,
      ...this.#sometimes({ required: names.slice(0, 1) }),
      ...this.#sometimes({ additionalProperties: this.#inner(depth), maxProperties: 9 }),
    };
  }

  #inner(depth: number): Schema {
    const shape = this.#chance(10) ? { $ref: '#/$defs/part' } : this.#shape(depth + 1);
    return this.#chance(30) && shape['$ref'] === undefined ? nullable(shape) : shape;
  }

  #set(): Schema {
    return this.#one<Schema>([
      { setOf: 'string', maxLength: 20, maxProperties: 9 },
      { setOf: 'string', pattern: '^[a-z]{1,8}$' },
      { setOf: { type: 'string', enum: ['red', 'green', "it's"] } },
      { setOf: { type: 'string', format: 'id' } },
    ]);
  }

  #scalar(): Schema {
    return this.#one<Schema>([
      { type: 'boolean' },
      { type: 'integer' },
      { type: 'integer', minimum: -10, maximum: 10 },
      { type: 'integer', enum: [-1, 0, 9007199254740991] },
      { type: 'number' },
      { type: 'number', minimum: -0.5, maximum: 1e300 },
      { type: 'string', maxLength: 50 },
      { type: 'string', minLength: 2, maxLength: 9 },
      { type: 'string', maxLength: 20, pattern: '^[A-Z]{2}-\\d+$' },
      { type: 'string', maxLength: 20, pattern: '^\\p{L}+$' },
      { type: 'string', enum: ['small', "it's", '', '*/', '\\', '😀', 'null'] },
      ...FORMAT_NAMES.map((format) => ({ type: 'string', format })),
      { type: 'string', format: 'uri', maxLength: 200 },
    ]);
  }

  #queries(properties: Readonly<Record<string, Schema>>): object {
    const filter: Record<string, unknown> = { madeAfter: { property: 'created', is: 'after' } };
    const sort: unknown[] = ['created', { property: 'updated', indexed: true }];
    for (const [name, schema] of Object.entries(properties)) {
      if (isHidden(schema)) continue;
      for (const is of operatorsOf(schema)) {
        if (!this.#chance(50)) continue;
        const indexed = this.#chance(40) && is !== 'isNull' && isIndexable(schema);
        const more = indexed ? { indexed } : {};
        if (is !== 'text' && filter[name] === undefined && this.#chance(30))
          filter[name] = indexed ? { is, indexed } : is;
        else filter[`${is}Of${name}`] = { property: name, is, ...more };
      }
      if (isSortable(schema) && this.#chance(50))
        sort.push(
          this.#chance(50) && isIndexable(schema) ? { property: name, indexed: true } : name,
        );
    }
    return { filter, sort };
  }

  #lists(properties: Readonly<Record<string, Schema>>): object {
    const names = Object.entries(properties)
      .filter(([, schema]) => isIndexable(schema) && isSortable(schema))
      .filter(([, { access = 'mutable' }]) => access === 'mutable')
      .map(([name]) => name);
    const two = names.slice(0, 2);
    if (two.length < 2) return {};
    return {
      ...this.#sometimes({ unique: [two] }),
      ...this.#sometimes({ indexes: [two.toReversed(), [...two, 'created']] }),
    };
  }

  #int(min: number, max: number): number {
    return this.#gen(fc.integer, { min, max });
  }

  #chance(percent: number): boolean {
    return this.#int(0, 99) < percent;
  }

  #sometimes(part: object): object {
    return this.#chance(30) ? part : {};
  }

  #one<T>(all: readonly T[]): T {
    return this.#gen(() => fc.constantFrom(...all));
  }

  /** Distinct without their letter case, too. */
  #distinct(all: readonly string[], count: number): readonly string[] {
    return this.#gen(() =>
      fc.uniqueArray(fc.constantFrom(...all), {
        minLength: count,
        maxLength: count,
        selector: (name) => name.toLowerCase(),
        size: 'max',
      }),
    );
  }
}

function nullable(schema: Schema): Schema {
  const { enum: words, ...rest } = schema;
  const type = schema['setOf'] === undefined ? String(schema.type) : 'object';
  return { ...rest, ...(words === undefined ? {} : { enum: words }), type: [type, 'null'] };
}

function record(entries: readonly (readonly [string, Schema])[]): Record<string, Schema> {
  return Object.fromEntries(entries);
}

function typeOf(schema: Schema): string {
  if (schema['$ref'] !== undefined) return 'json';
  return [schema.type ?? 'object'].flat().find((each) => each !== 'null') ?? 'object';
}

function isHidden({ access }: Schema): boolean {
  return access === 'internal' || access === 'secret';
}

/** The type whose ids the property holds. */
export function targetOf({ references, setOf }: Schema): string | undefined {
  if (typeof references === 'string') return references;
  return typeof setOf === 'string' && /^[A-Z]/.test(setOf) ? setOf : undefined;
}

export function isNullable({ type }: Schema): boolean {
  return Array.isArray(type) && type.includes('null');
}

function isSortable(schema: Schema): boolean {
  return !['array', 'object', 'json'].includes(typeOf(schema)) && !isHidden(schema);
}

/** An index takes no values of a format of any length, unless the schema bounds them. */
function isIndexable(schema: Schema): boolean {
  const { format, maxLength } = schema;
  const isBounded = formatNamed(format as string | undefined)?.length !== null;
  return isSortable(schema) && (isBounded || maxLength !== undefined);
}

/** Whether its values are compared as ids are: they are the same or not. */
function isIdentity({ format, blob, references }: Schema): boolean {
  const order = formatNamed(format as string | undefined)?.order;
  return order === 'none' || blob === true || references !== undefined;
}

/** The operators that the schema of a property allows. */
function operatorsOf(schema: Schema): readonly string[] {
  const isNull = isNullable(schema) ? ['isNull'] : [];
  const { format } = schema;
  switch (typeOf(schema)) {
    case 'string':
      if (isIdentity(schema)) return ['equals', 'in', ...isNull];
      return format === undefined
        ? ['equals', 'in', 'contains', 'startsWith', 'text', ...isNull]
        : ['equals', 'in', 'before', 'after', 'atLeast', 'atMost', ...isNull];
    case 'boolean':
      return ['equals', ...isNull];
    case 'integer':
    case 'number':
      return ['equals', 'in', 'atLeast', 'atMost', ...isNull];
    case 'array':
      return [...(isSortable((schema['items'] ?? {}) as Schema) ? ['hasItem'] : []), ...isNull];
    case 'object':
      return [...(isMap(schema) ? ['hasKey'] : []), ...isNull];
    default:
      return [];
  }
}

function isMap(schema: Schema): boolean {
  return schema['setOf'] !== undefined || schema['additionalProperties'] !== undefined;
}

export type { Json };
