import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import type { ModelFilter, ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import type { Dice } from './dice.js';
import { mapBlobs, mapPlaces } from './places.js';
import { isMap } from './schema.js';
import { ALPHABET } from './text.js';

/** The objects that references may name. */
export interface Known {
  ids(type: string): readonly string[];
  /** `#k` of this call, of earlier ones and of none, ids of nobody and of another account. */
  strangers(type: string): readonly string[];
}

const DATES = [
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.5Z',
  '1969-12-31T23:59:59.999Z',
  '2026-01-02T03:04:05.120Z',
  '2026-01-02T03:04:05.0009Z',
  '2026-01-02T03:04:06Z',
];
const NO_DATES = [
  '2026-01-02',
  '2026-02-31T00:00:00Z',
  '2026-01-02T24:00:00Z',
  '2026-01-02t03:04:05Z',
];
const KEYS = ['a', 'b', 'a/b', '~0', 'e\u0301', ''];
const NUMBERS = [0, 1, -1.5, 0.1, 2, 1e15, -3, 0.5];

/** A text of the alphabet; short, so that texts meet. */
export const textOf = (dice: Dice, most = 4): string =>
  dice.some(most, () => dice.pick(ALPHABET)).join('');

/** A value that a property may have. */
export function goodValue(dice: Dice, type: ModelType, one: ModelProperty, known: Known): Json {
  const { name, schema, nullable, references, blobs } = one;
  if (blobs.length > 0) {
    // The sequences upload none, so a value that names a blob is refused.
    if (!dice.chance(3)) return (one.default ?? null) as Json;
    return mapBlobs(one, ofSchema(dice, schema), () => dice.pick(known.strangers(type.name)));
  }
  if (nullable && dice.chance(20)) return null;
  if (references.length > 0) {
    let value = ofSchema(dice, schema);
    for (const { type: target, place } of references) {
      const ids = known.ids(target);
      // A value may name many: most of them are there, so that most values are taken.
      const strangers = [...known.strangers(target), 'r1'];
      const pick = () => dice.pick(ids.length === 0 || dice.chance(8) ? strangers : ids);
      value = mapPlaces([place], value, pick);
    }
    return value;
  }
  // Values that must differ come from a few, so that they meet.
  const isUnique = type.uniques.some(({ properties }) => properties.some((p) => p.name === name));
  if (isUnique && one.kind === 'string')
    return dice.pick(['a', 'A', 'é', 'e\u0301', 'ß', 'b', 'z0']);
  if (isUnique && one.kind === 'integer') return dice.below(3);
  return ofSchema(dice, schema);
}

function ofSchema(dice: Dice, definition: JSONSchema7Definition | undefined): Json {
  const schema: JSONSchema7 = typeof definition === 'object' ? definition : {};
  const { enum: words, minimum = -5, maximum = 5, maxLength = 1000 } = schema;
  const kinds = [schema.type ?? 'string'].flat();
  if (kinds.includes('null') && dice.chance(20)) return null;
  if (words !== undefined) return dice.pick(words) as Json;
  switch (kinds.find((kind) => kind !== 'null')) {
    case 'boolean':
      return dice.chance(50);
    case 'integer': {
      const [low, high] = [Math.max(minimum, -20), Math.min(maximum, 20)];
      return dice.chance(10) ? dice.pick([minimum, maximum]) : low + dice.below(high - low + 1);
    }
    case 'number':
      return dice.pick(NUMBERS);
    case 'array':
      return dice.some(3, () => ofSchema(dice, schema.items as JSONSchema7Definition));
    case 'object':
      return ofMembers(dice, schema);
    default:
      if (schema.format === 'utc-date') return dice.pick(DATES);
      return dice.chance(3) && maxLength <= 512 ? '\u{1F600}'.repeat(maxLength) : textOf(dice);
  }
}

function ofMembers(dice: Dice, { properties, additionalProperties }: JSONSchema7): JsonMap {
  const names = Object.keys(properties ?? {});
  const all = properties === undefined ? dice.some(3, () => dice.pick(KEYS)) : names;
  const chosen = properties === undefined ? all : all.filter(() => dice.chance(60));
  return Object.fromEntries(
    chosen.map((name) => [name, ofSchema(dice, properties?.[name] ?? additionalProperties)]),
  );
}

/** A value that it may not have, if its schema is like most. */
export function badValue(dice: Dice, { schema, nullable }: ModelProperty): Json {
  const { maximum, minimum, maxLength, format } = schema;
  const wrong: Json[] = [...(nullable ? [] : [null]), [[5]], { nope: { deep: 1 } }, 'a\u0000'];
  if (typeof maximum === 'number' && maximum < 1000) wrong.push(maximum + 1);
  if (typeof minimum === 'number' && minimum > -1000) wrong.push(minimum - 1, minimum + 0.5);
  if (maxLength !== undefined && maxLength < 2000) wrong.push('\u{1F600}'.repeat(maxLength + 1));
  if (format === 'utc-date') wrong.push(...NO_DATES);
  return dice.pick(wrong);
}

/** A pointer into a value, of members that are there or not, and what it is to become. */
export function pointerInto(dice: Dice, name: string, value: Json, known: readonly string[]) {
  const tokens = [name];
  let at: Json = value;
  do {
    const names = isMap(at) ? Object.keys(at) : [];
    const others = [...known, 'a', 'b', 'note', 'x', ''];
    const token = names.length > 0 && dice.chance(60) ? dice.pick(names) : dice.pick(others);
    tokens.push(token);
    at = isMap(at) && Object.hasOwn(at, token) ? (at[token] ?? null) : null;
  } while (isMap(at) && dice.chance(60));
  const escaped = tokens.map((one) => one.replaceAll('~', '~0').replaceAll('/', '~1'));
  const leaves: Json[] = [true, null, 'text', 5, {}, { b: {} }, { c: 1 }];
  return [escaped.join('/'), dice.pick(leaves)] as const;
}

/** The value of a condition. */
export function conditionValue(
  dice: Dice,
  { schema, property, operator }: ModelFilter,
  known: Known,
): Json {
  if (dice.chance(8)) return null;
  const [reference] = property.references;
  if (reference !== undefined) return dice.pick([...known.ids(reference.type), 'r1', '#k0']);
  if (operator === 'text') return [textOf(dice, 2), textOf(dice, 2)].join(dice.pick([' ', '']));
  if (operator === 'hasKey' || operator === 'lacksKey') return dice.pick(KEYS);
  if (operator === 'hasOtherKey') return dice.some(3, () => dice.pick(KEYS));
  if (operator === 'isNull' || operator === 'isNotNull') return dice.chance(50);
  if (schema.type === 'array') return dice.some(2, () => ofSchema(dice, property.schema));
  if (property.kind === 'integer') return dice.below(21) - 10;
  return property.kind === 'string'
    ? textOf(dice, 2)
    : ofSchema(dice, { ...property.schema, ...schema });
}
