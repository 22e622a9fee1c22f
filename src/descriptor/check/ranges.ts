import { BOUNDS } from '../bounds.js';
import { typeOf } from '../kinds.js';
import { member } from '../located.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** Lower key, upper key and the upper bound where none is given. */
const PAIRS: readonly (readonly [string, string, number])[] = [
  ['minLength', 'maxLength', BOUNDS.stringLength],
  ['minimum', 'maximum', Number.POSITIVE_INFINITY],
  ['minItems', 'maxItems', BOUNDS.items],
  ['minProperties', 'maxProperties', BOUNDS.properties],
];

/**
 * Refuses a lower bound above its upper one, and bounds of an integer that no double holds exactly.
 */
export const ranges: Rule = (views, report) => {
  for (const { node, label, isKey = false } of views.flatMap(schemasOf)) {
    // Beside `setOf: string` the lengths are those of the keys.
    const isOfKeys = isKey || member(node, 'setOf') !== undefined;
    for (const [lowerKey, upperKey, fallback] of PAIRS) {
      const lower = member(node, lowerKey);
      const longest = isOfKeys && upperKey === 'maxLength' ? BOUNDS.keyLength : fallback;
      const upper = member(node, upperKey)?.value ?? longest;
      if (typeof lower?.value === 'number' && typeof upper === 'number' && lower.value > upper)
        report(
          'empty-range',
          lower.at,
          `no value of "${label}" can be right: ${lowerKey} ${lower.value} is above ` +
            `${upperKey} ${upper}.`,
        );
    }
    if (typeOf(node).type !== 'integer') continue;
    for (const key of ['minimum', 'maximum']) {
      const bound = member(node, key);
      if (typeof bound?.value === 'number' && !Number.isSafeInteger(bound.value))
        report(
          'bad-bound',
          bound.at,
          `${key} of the integer "${label}" must be an integer from ${BOUNDS.minInteger} to ` +
            `${BOUNDS.maxInteger}.`,
        );
    }
  }
};
