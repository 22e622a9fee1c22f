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
 * No lower bound above its upper one; the bounds of an integer are integers that a double holds.
 */
export const ranges: Rule = (views, report) => {
  for (const { node, label } of views.flatMap(schemasOf)) {
    for (const [lowerKey, upperKey, fallback] of PAIRS) {
      const lower = member(node, lowerKey);
      const upper = member(node, upperKey)?.value ?? fallback;
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
