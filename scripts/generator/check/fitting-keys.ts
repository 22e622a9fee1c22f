import { typeOf } from '../descriptor/view.js';
import { member, members, text } from '../load/located.js';
import { oneOf, type Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** The types that a key goes with; keys that aren't listed go with all. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  format: ['string'],
  blob: ['string'],
  enum: ['string', 'integer', 'number'],
  minimum: ['integer', 'number'],
  maximum: ['integer', 'number'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  propertyNames: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
};

/**
 * Keys that say something about the letters of a string: a date's or an id's are given by the
 * format.
 */
const LETTERS: readonly string[] = ['minLength', 'maxLength', 'pattern', 'enum', 'blob'];

/**
 * A key stands only where it means something: maxLength on an integer is a mistake, not a no-op.
 */
export const fittingKeys: Rule = (views, report) => {
  for (const { node, label } of views.flatMap(schemasOf)) {
    const { type } = typeOf(node);
    if (type === undefined) continue;
    const format = text(member(node, 'format'));
    for (const { name, nameAt } of members(node)) {
      const types = TYPES[name];
      if (types !== undefined && !types.includes(type))
        report(
          'misplaced-key',
          nameAt,
          `"${name}" goes with the type ${oneOf(types)}; "${label}" is of type ${type}.`,
        );
      else if (format !== undefined && LETTERS.includes(name))
        report(
          'misplaced-key',
          nameAt,
          `"${name}" does not go with format: ${format}, which says it all; drop one of the two.`,
        );
    }
  }
};
