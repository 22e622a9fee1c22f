import * as fc from 'fast-check';
import type { JSONSchema7 } from 'json-schema';
import { formatNamed } from '../../../src/capability/formats/index.js';
import { normalizationsOf } from '../../../src/descriptor/model/text-rules.js';
import { normalForm } from '../../../src/text/index.js';
import type { Json } from '../client/json.js';

/** Numbers and texts that a schema takes, and those that it refuses. */

/** Values of a property: those at its bounds, and those one past them or of another kind. */
export interface Values {
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
}

/** Tells whether a double holds an integer exactly. */
const isSafe = (value: number): boolean => Math.abs(value) < Number.MAX_SAFE_INTEGER;

/** Returns numbers at both bounds, and numbers beyond them. */
export function listNumbers({ minimum, maximum }: JSONSchema7, isInteger: boolean): Values {
  const within = [0, 1, 7, -3, ...(isInteger ? [] : [0.5, -1e300])].filter(
    (value) => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity),
  );
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const past = [
    ...(minimum !== undefined && isSafe(minimum) ? [minimum - 1] : []),
    ...(maximum !== undefined && isSafe(maximum) ? [maximum + 1] : []),
  ];
  return {
    good: [...new Set([...within, ...bounds])],
    bad: [...past, '1', true, [], ...(isInteger ? [1.5] : [])],
  };
}

const NO_TEXTS: readonly Json[] = [5, false, {}, ['x']];

/**
 * Returns texts at both bounds and beyond them. Lengths are code points, so a bound is filled with
 * characters of two UTF-16 units.
 */
export function listStrings(schema: JSONSchema7): Values {
  const { minLength = 0, maxLength, format, pattern } = schema;
  const known = formatNamed(format);
  const changes = normalizationsOf(schema) ?? [];
  const isNormal = (text: string) => normalForm(text, changes) === text;
  if (known !== undefined) {
    // A text that is normalised may become a legal one.
    const bad = changes.length > 0 ? [] : known.illegal;
    const good = known.legal.filter((text) => known.isCanonical(text) && isNormal(text));
    return { good, bad: [...bad, 5, {}] };
  }
  const fits = (text: string) =>
    [...text].length >= minLength && [...text].length <= (maxLength ?? 1) && isNormal(text);
  if (pattern !== undefined) return listPatternTexts(pattern, fits);
  const texts = ['a', '', 'B', 'straße', 'STRASSE 10', 'a 9', 'é', '%_'];
  const long = '\u{1F600}';
  return {
    good: [...texts.filter(fits), ...(maxLength === undefined ? [] : [long.repeat(maxLength)])],
    bad: [
      ...NO_TEXTS,
      'a\u0000',
      ...(maxLength === undefined ? [] : [long.repeat(maxLength + 1)]),
      ...(minLength === 0 ? [] : [long.repeat(minLength - 1)]),
    ],
  };
}

/** Returns texts that fit a pattern, and some that don't. */
function listPatternTexts(pattern: string, fits: (text: string) => boolean): Values {
  const regex = new RegExp(pattern, 'u');
  const wrong = ['', ' ', '\n', '?', 'é', 'no, this is none', '0'].filter((t) => !regex.test(t));
  return { good: drawMatching(pattern, fits, 6), bad: [...NO_TEXTS, ...wrong] };
}

/** Returns `count` different texts that a pattern allows, the same in every run. */
export function drawMatching(
  pattern: string,
  fits: (text: string) => boolean,
  count: number,
): readonly string[] {
  const found = new Set<string>();
  const texts = fc.stringMatching(new RegExp(pattern, 'u'));
  for (let seed = 1; found.size < count && seed < 200; seed += 1) {
    for (const text of fc.sample(texts, { seed, numRuns: 40 })) {
      const stays = !text.includes('\u0000') && text.isWellFormed() && fits(text);
      if (stays && found.size < count) found.add(text);
    }
  }
  return [...found];
}
