import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import { formatNamed } from '../capability/formats/index.js';
import { replaceTexts } from '../capability/places.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';
import { compilePattern } from '../text/index.js';
import { branchesIn } from './branches.js';
import type { ModelFilter, ModelProperty } from './model.js';
import { SampleDepth } from './nesting.js';
import { isFolded, OPERATORS } from './operators.js';
import { mainType } from './validation/schema.js';

/** Values for the examples: legal ones, the same in every run. */

export const ACCOUNT = 'A1';
export const OTHER_ACCOUNT = 'A2';
export const SINGLETON_ID = 'singleton';

/** Guesses of what a pattern wants; else the example shows that there is something to fill in. */
const GUESSES = [
  ...['abc', 'ABC', 'a', 'A', '1', '12', '123', '1234', '#aabbcc', '2026-01-31', '12:00'],
  ...['en', 'en-GB', 'name@example.com', 'https://example.com/', 'example.com', '+441234567890'],
];

/**
 * Returns an id that looks like the server's: `r...` of a record, `b...` of a blob, a digit last.
 */
export function sampleId(place = 0, letter: 'r' | 'b' = 'r'): string {
  return `${letter}01kgb0f3m07q2v9n4x8c1h5d6${place}`;
}

/**
 * Returns a value for examples in pages and reports. The schema allows it but for rare cases: a
 * pattern that no guess matches, long lists, items that must be unique. `{}` stands for any value.
 */
export function sampleOf(
  schema: JSONSchema7Definition,
  name = '',
  depth = new SampleDepth(),
): JsonValue {
  if (typeof schema === 'boolean') return {};
  const chosen = (schema.enum ?? []).find((value) => value !== null);
  if (chosen !== undefined) return chosen as JsonValue;
  if (schema.const !== undefined) return schema.const as JsonValue;
  const [branch] = depth.branchesOf(schema, branchesIn(schema));
  if (branch !== undefined) return sampleOf(branch.schema, name, depth.within(schema));
  switch (mainType(schema)) {
    case 'string':
      return sampleText(schema, name);
    case 'boolean':
      return true;
    case 'integer':
      return clamp(1, schema);
    case 'number':
      return clamp(1.5, schema);
    case 'array':
      return sampleList(schema, depth.within(schema));
    case 'object':
      return sampleObject(schema, depth.within(schema));
    default:
      return null;
  }
}

/** Returns a value of the property as /get shows it; `id` is the object's own. */
export function sampleProperty(property: ModelProperty, id: string): JsonValue {
  if (property.role === 'id') return id;
  const sample = sampleOf(property.schema, property.name);
  const places = property.references.map(({ place }) => place);
  const linked = replaceTexts(places, sample, () => sampleId(7));
  return replaceTexts(property.blobs, linked, () => sampleId(8, 'b'));
}

/** Returns what a client gives for the condition: a word, a list, a key, by its operator. */
export function sampleCondition({ property, operator }: ModelFilter): JsonValue {
  if (isFolded(operator)) return 'word';
  const value = sampleProperty(property, sampleId());
  const key = Object.keys(Object(value))[0] ?? 'key';
  switch (OPERATORS[operator].value) {
    case 'boolean':
      return true;
    case 'list':
      return [value];
    case 'key':
      return key;
    case 'keys':
    case 'entry':
      return [key];
    case 'item':
      return (value as readonly JsonValue[])[0] ?? 'item';
    case 'property':
      return value;
  }
}

/**
 * Returns a text of the format, or the first guess within the bounds and of the pattern. Where none
 * is, it returns the pattern in brackets, or as many letters as `minLength` asks for.
 */
function sampleText(schema: JSONSchema7, name: string): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const known = formatNamed(format);
  if (known !== undefined) return known.legal[0];
  if (name === 'accountId') return ACCOUNT;
  if (name === 'fromAccountId') return OTHER_ACCOUNT;
  const fits = (text: string): boolean =>
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || compilePattern(pattern).test(text));
  const words = name === '' ? 'text' : `Some ${name}`;
  const guess = [words, ...GUESSES].find(fits);
  if (guess !== undefined) return guess;
  return pattern === undefined ? 'a'.repeat(Math.min(minLength, 1_000)) : `(${pattern})`;
}

/** Returns the wished number, or the bound that excludes it. */
function clamp(wished: number, { minimum, maximum }: JSONSchema7): number {
  return Math.max(minimum ?? wished, Math.min(maximum ?? wished, wished));
}

/** Returns a list of equal items: one, or as many as `minItems` asks for, at most ten. */
function sampleList(
  { items = true, minItems = 0, maxItems = 10 }: JSONSchema7,
  depth: SampleDepth,
): JsonValue {
  const item = Array.isArray(items) ? (items[0] ?? true) : items;
  const least = depth.leavesOut(item) ? 0 : 1;
  const length = Math.min(Math.max(minItems, least), maxItems, 10);
  return Array.from({ length }, () => sampleOf(item, '', depth));
}

/** Returns an object with its declared members, and one more if further ones have a schema. */
function sampleObject(schema: JSONSchema7, depth: SampleDepth): JsonObject {
  const { required = [], properties = {}, additionalProperties, propertyNames } = schema;
  const members = Object.entries(properties)
    .filter(([name, inner]) => required.includes(name) || !depth.leavesOut(inner))
    .map(([name, inner]): [string, JsonValue] => [name, sampleOf(inner, name, depth)]);
  if (typeof additionalProperties === 'object' && !depth.leavesOut(additionalProperties)) {
    const key = typeof propertyNames === 'object' ? propertyNames : { maxLength: 3 };
    members.push([
      String(sampleOf({ ...key, type: 'string' })),
      sampleOf(additionalProperties, '', depth),
    ]);
  }
  return Object.fromEntries(members);
}
