import fc from 'fast-check';
import { formatNamed } from '../../../../src/capability/formats/index.js';

/** A schema of the descriptor language, as the random descriptors have it. */
export interface Schema {
  readonly [key: string]: unknown;
  readonly type?: string | readonly string[];
}

export type Definitions = Readonly<Record<string, Schema>>;
export type Json = null | boolean | number | string | readonly Json[] | { [key: string]: Json };

/** The values that clients may give: those of the schema, in their canonical form. */
export function valuesOf(given: Schema, definitions: Definitions): fc.Arbitrary<Json> {
  const schema = resolved(given, definitions);
  const types = [schema.type ?? 'object'].flat() as readonly string[];
  const type = types.find((each) => each !== 'null') ?? 'null';
  const values = typed(schema, type, definitions);
  return types.includes('null') ? fc.option(values, { freq: 4 }) : values;
}

function resolved(schema: Schema, definitions: Definitions): Schema {
  const name = String(schema['$ref'] ?? '').replace('#/$defs/', '');
  return definitions[name] ?? schema;
}

function typed(schema: Schema, type: string, definitions: Definitions): fc.Arbitrary<Json> {
  const words = schema['enum'] as readonly Json[] | undefined;
  if (words !== undefined) return fc.constantFrom(...words);
  if (schema['setOf'] !== undefined) return sets(schema);
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger().map((n) => clamped(n, schema));
    case 'number':
      return fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((n) => clamped(Object.is(n, -0) ? 0 : n, schema));
    case 'string':
      return strings(schema);
    case 'array':
      return lists(schema, definitions);
    default:
      return objects(schema, definitions);
  }
}

function bound(schema: Schema, key: string, fallback: number): number {
  return typeof schema[key] === 'number' ? schema[key] : fallback;
}

function clamped(n: number, schema: Schema): number {
  const low = Math.max(n, bound(schema, 'minimum', -Infinity));
  return Math.min(low, bound(schema, 'maximum', Infinity));
}

/**
 * Characters that RFC 7493 2.1 keeps out of a request, and those that PostgreSQL's text can't hold.
 */
const NO_I_JSON = /[\0\p{Noncharacter_Code_Point}]/gu;

const PATTERNS: Readonly<Record<string, RegExp>> = {};

function strings(schema: Schema): fc.Arbitrary<string> {
  const format = schema['format'] ?? (schema['references'] === undefined ? undefined : 'id');
  switch (format) {
    case 'utc-date':
      return moments().map((at) => at.replace('.000Z', 'Z').replace(/0{1,2}Z$/, (z) => cut(at, z)));
    case 'date':
      return fc
        .tuple(moments(), fc.constantFrom('Z', '+02:00', '-11:30'))
        .map(([at, zone]) => at.replace(/\.\d+Z$/, zone));
    case 'local-date-time':
      return moments().map((at) => at.replace(/\.\d+Z$/, ''));
    case 'id':
      return fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
    default: {
      const known = formatNamed(format as string | undefined);
      return known === undefined ? letters(schema) : fc.nat().map(known.numbered);
    }
  }
}

/** Zeros at the end of a fraction are no part of the canonical form. */
function cut(at: string, zeros: string): string {
  return at.includes('.') && !at.endsWith('.000Z') ? 'Z' : zeros;
}

function moments(): fc.Arbitrary<string> {
  return fc
    .date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());
}

function letters(schema: Schema): fc.Arbitrary<string> {
  const pattern = schema['pattern'];
  const [minLength, maxLength] = [
    bound(schema, 'minLength', 0),
    bound(schema, 'maxLength', schema['setOf'] === undefined ? 60 : 20),
  ];
  if (typeof pattern === 'string') {
    const regex = PATTERNS[pattern] ?? new RegExp(pattern, 'u');
    return fc.stringMatching(regex).filter((text) => {
      const { length } = [...text];
      return length >= minLength && length <= maxLength && !text.includes('\u0000');
    });
  }
  return fc
    .string({ unit: 'binary', minLength, maxLength, size: 'max' })
    .map((text) => text.replace(NO_I_JSON, '0'));
}

function sets(schema: Schema): fc.Arbitrary<Json> {
  const of = schema['setOf'];
  const keySchema = (typeof of === 'object' ? of : schema) as Schema;
  const words = keySchema['enum'] as readonly string[] | undefined;
  const keys = words === undefined ? strings({ ...keySchema, setOf: 'string' }) : choice(words);
  const most = Math.min(bound(schema, 'maxProperties', 5), words?.length ?? 5, 5);
  return fc
    .uniqueArray(keys, { minLength: bound(schema, 'minProperties', 0), maxLength: most })
    .map((all) => record(all.map((key) => [key, true])));
}

function choice(words: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...words);
}

function lists(schema: Schema, definitions: Definitions): fc.Arbitrary<Json> {
  const items = valuesOf(schema['items'] as Schema, definitions);
  const [minLength, maxLength] = [bound(schema, 'minItems', 0), bound(schema, 'maxItems', 5)];
  const all = { minLength, maxLength: Math.min(maxLength, Math.max(5, minLength)) };
  return schema['uniqueItems'] === true
    ? fc.uniqueArray(items, { ...all, selector: (item) => JSON.stringify(item) })
    : fc.array(items, all);
}

function objects(schema: Schema, definitions: Definitions): fc.Arbitrary<Json> {
  const declared = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const required = (schema['required'] ?? []) as readonly string[];
  const members = declared.map(([name, inner]) => {
    const value = valuesOf(inner, definitions).map((each) => [[name, each]] as const);
    return required.includes(name) ? value : fc.oneof(value, fc.constant([] as const));
  });
  const known = new Set(declared.map(([name]) => name));
  return fc
    .tuple(fc.tuple(...members), further(schema, definitions))
    .map(([own, more]) =>
      record([...own.flat(), ...more.filter(([name]) => !known.has(name))] as [string, Json][]),
    );
}

function further(schema: Schema, definitions: Definitions): fc.Arbitrary<[string, Json][]> {
  const more = schema['additionalProperties'];
  if (more === undefined || more === false) return fc.constant([]);
  const key =
    schema['propertyNames'] === undefined ? strings({ maxLength: 20 }) : strings({ format: 'id' });
  const value = more === true ? anyJson() : valuesOf(more as Schema, definitions);
  return fc.uniqueArray(fc.tuple(key, value), {
    maxLength: Math.min(3, bound(schema, 'maxProperties', 3)),
    selector: ([name]) => name,
  });
}

/** Numbers that a text says exactly, strings without U+0000, and members of any name. */
function anyJson(): fc.Arbitrary<Json> {
  return fc.letrec<{ any: Json }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false, 0, 1.5, -9007199254740991),
      strings({ maxLength: 10 }),
      fc.array(tie('any'), { maxLength: 2 }),
      fc
        .uniqueArray(fc.tuple(strings({ maxLength: 10 }), tie('any')), {
          maxLength: 2,
          selector: ([name]) => name,
        })
        .map((all) => record([['__proto__', 1], ...all])),
    ),
  })).any;
}

/** `__proto__` is a member like any other. */
function record(entries: readonly (readonly [string, Json])[]): { [key: string]: Json } {
  const made = Object.create(null) as { [key: string]: Json };
  for (const [key, value] of entries) made[key] = value;
  return made;
}
