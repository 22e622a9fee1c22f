import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JSONSchema7 } from 'json-schema';
import { viewCapability } from '../../scripts/generator/descriptor/view.js';
import { parseDescriptor } from '../../scripts/generator/load/parse.js';
import { buildModel } from '../../scripts/generator/model/index.js';
import type { ModelProperty, ModelType } from '../../scripts/generator/model.js';
import type { Json, JsonMap } from '../support/json.js';

/** A type as its descriptor describes it; `path` is relative to this file. */
export function describedType(path: string, name: string): ModelType {
  const file = fileURLToPath(new URL(path, import.meta.url));
  const base = basename(file).replace(/[.][a-z]+$/, '');
  const start = { file: path, line: 1, column: 1 };
  const { root } = parseDescriptor(path, readFileSync(file, 'utf8'));
  if (root === undefined) throw new Error(`${path} can't be read.`);
  const { capabilities } = buildModel([viewCapability({ file: path, base, start, root })]);
  const type = capabilities.flatMap(({ types }) => types).find((one) => one.name === name);
  if (type === undefined) throw new Error(`${path} has no type ${name}.`);
  return type;
}

/** What a create may give without anything else being there: neither references nor blobs. */
export function givable(type: ModelType): readonly ModelProperty[] {
  return type.properties.filter(
    ({ access, role, blob, reference }) =>
      (access === 'mutable' || access === 'immutable') &&
      role === undefined &&
      !blob &&
      reference === undefined,
  );
}

/** Values of a property: those at its bounds, and those one past them or of another kind. */
export interface Values {
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
}

export function valuesOf({ schema, nullable, kind }: ModelProperty): Values {
  const { good, bad } = ofSchema(schema, kind === 'date');
  return {
    good: nullable ? [...good, null] : good,
    bad: nullable ? bad : [...bad, null],
  };
}

function ofSchema(schema: JSONSchema7, isDate: boolean): Values {
  const { type } = schema;
  const name = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (schema.enum !== undefined && name !== 'boolean') {
    return {
      good: schema.enum.filter((one) => one !== null) as Json[],
      bad: ['no such value', 5.5],
    };
  }
  switch (name) {
    case 'boolean':
      return { good: [true, false], bad: ['true', 0, {}] };
    case 'integer':
    case 'number':
      return ofNumber(schema, name === 'integer');
    case 'string':
      return isDate ? DATES : ofText(schema);
    case 'array':
      return ofList(schema);
    default:
      return ofObject(schema);
  }
}

const DATES: Values = Object.freeze({
  good: ['2026-01-02T03:04:05Z', '1969-12-31T23:59:59.999Z', '2026-01-02T03:04:05.5Z'],
  bad: ['2026-01-02', 'soon', 5, '2026-13-01T00:00:00Z'],
});

const safe = (value: number): boolean => Math.abs(value) < Number.MAX_SAFE_INTEGER;

function ofNumber({ minimum, maximum }: JSONSchema7, isInteger: boolean): Values {
  const within = [0, 1, 7, -3, ...(isInteger ? [] : [0.5, -1e300])].filter(
    (value) => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity),
  );
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const past = [
    ...(minimum !== undefined && safe(minimum) ? [minimum - 1] : []),
    ...(maximum !== undefined && safe(maximum) ? [maximum + 1] : []),
  ];
  return {
    good: [...new Set([...within, ...bounds])],
    bad: [...past, '1', true, [], ...(isInteger ? [1.5] : [])],
  };
}

/** Lengths are code points, so a bound is filled with ones that take two UTF-16 units. */
function ofText({ minLength = 0, maxLength, format, pattern }: JSONSchema7): Values {
  const bad = [5, false, {}, ['x']];
  if (format !== undefined || pattern !== undefined) return { good: [], bad };
  const texts = ['', 'a', 'B', 'straße', 'STRASSE 10', 'a 9', 'é', '%_'];
  const long = '\u{1F600}';
  return {
    good: [
      ...texts.filter(
        (text) => [...text].length >= minLength && [...text].length <= (maxLength ?? 1),
      ),
      ...(maxLength === undefined ? [] : [long.repeat(maxLength)]),
    ],
    bad: [
      ...bad,
      'a\u0000',
      ...(maxLength === undefined ? [] : [long.repeat(maxLength + 1)]),
      ...(minLength === 0 ? [] : [long.repeat(minLength - 1)]),
    ],
  };
}

function ofList({ items, maxItems, minItems = 0 }: JSONSchema7): Values {
  const of = typeof items === 'object' && !Array.isArray(items) ? ofSchema(items, false) : null;
  const [first] = of?.good ?? [];
  if (first === undefined) return { good: minItems === 0 ? [[]] : [], bad: ['x', {}, 5] };
  const lists = (count: number | undefined): Json[] =>
    count === undefined ? [] : [Array.from({ length: count }, () => first)];
  return {
    good: [...(minItems === 0 ? [[]] : []), ...lists(maxItems), [...(of?.good ?? [])].slice(0, 3)],
    bad: [
      'x',
      {},
      5,
      ...lists(maxItems === undefined ? undefined : maxItems + 1),
      ...(of?.bad ?? []).map((one) => [one]),
    ],
  };
}

function ofObject(schema: JSONSchema7): Values {
  const { propertyNames, maxProperties, properties } = schema;
  const bad: Json[] = ['x', [], 5];
  if (properties !== undefined) return { good: [{}], bad: [...bad, { noSuchMember: 1 }] };
  const sets = (count: number | undefined): JsonMap[] =>
    count === undefined
      ? []
      : [Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, true]))];
  const length = typeof propertyNames === 'object' ? propertyNames.maxLength : undefined;
  const key = (count: number | undefined): JsonMap[] =>
    count === undefined ? [] : [{ ['\u{1F600}'.repeat(count)]: true }];
  return {
    good: [{}, { a: true, B: true }, ...key(length), ...sets(maxProperties)],
    bad: [
      ...bad,
      { a: false },
      ...key(length === undefined ? undefined : length + 1),
      ...sets(maxProperties === undefined ? undefined : maxProperties + 1),
    ],
  };
}
