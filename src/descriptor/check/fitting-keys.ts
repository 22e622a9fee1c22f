import { formatNamed } from '../../capability/formats/index.js';
import { KEYS_OF_SETS, type TypeName, typeOf } from '../kinds.js';
import { type Located, member, members, text } from '../located.js';
import { isBlob, isPrincipal } from '../schema-places.js';
import { oneOf, type Report, type Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** The types that a key goes with; keys that aren't listed go with all. */
export const KEY_TYPES: Readonly<Record<string, readonly TypeName[]>> = {
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  normalize: ['string'],
  format: ['string'],
  blob: ['string'],
  references: ['string', 'array'],
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

/** Returns the types that a key goes with; undefined for one that goes with all, or is none. */
function typesOfKey(name: string): readonly TypeName[] | undefined {
  return Object.hasOwn(KEY_TYPES, name) ? KEY_TYPES[name] : undefined;
}

/**
 * Keys that say something about the letters of a string: a date's or an id's are given by the
 * format.
 */
const LETTERS: readonly string[] = ['minLength', 'maxLength', 'pattern', 'enum', 'blob'];

/** Keys that an id of a blob can't have. A bound on its length is useless, but harmless. */
const CHOSEN_LETTERS: readonly string[] = ['pattern', 'enum', 'normalize'];

/** Keys that a set has: what `setOf` says is left out of them. */
const OF_A_SET: readonly string[] = ['minProperties', 'maxProperties'];

/** Refuses a key where it means nothing: maxLength on an integer is a mistake, not a no-op. */
export const fittingKeys: Rule = (views, report) => {
  for (const { node, label } of views.flatMap(schemasOf)) {
    const { type } = typeOf(node);
    if (type === undefined) continue;
    const keys = member(node, 'setOf');
    if (keys !== undefined) {
      judgeSet(node, keys, report);
      continue;
    }
    // The rule about unions tells of keys beside their branches.
    if (member(node, 'oneOf') !== undefined) continue;
    if (member(node, 'const') !== undefined) {
      judgeConstant(node, report);
      continue;
    }
    const whole = saysItAll(node, type);
    for (const { name, nameAt } of members(node)) {
      const types = typesOfKey(name);
      if (types?.every((each) => each !== type) === true)
        report(
          'misplaced-key',
          nameAt,
          `"${name}" goes with the type ${oneOf(types)}; "${label}" is of type ${type}.`,
        );
      else if (whole?.excluded.includes(name) === true)
        report(
          'misplaced-key',
          nameAt,
          `"${name}" does not go with ${whole.key}, which already decides what the text looks ` +
            'like; remove one of the two.',
        );
    }
  }
};

/** Reports keys beside `const`, which says it all. */
function judgeConstant(node: Located, report: Report): void {
  for (const { name, nameAt } of members(node)) {
    if (typesOfKey(name) === undefined) continue;
    report('misplaced-key', nameAt, `"${name}" does not go with const, which is the one value.`);
  }
}

/**
 * Returns the key that gives all letters of a string, as the descriptor has it, and the keys that
 * can't stand beside it.
 */
function saysItAll(
  node: Located,
  type: string,
): { readonly key: string; readonly excluded: readonly string[] } | undefined {
  const format = text(member(node, 'format'));
  const isPrincipalId = type === 'string' && isPrincipal(node);
  // `format: id` says of ids what they are anyway.
  const ofIds = format === undefined || format === 'id' ? [] : ['format'];
  if (type === 'string' && member(node, 'references') !== undefined)
    return { key: 'references', excluded: [...LETTERS, ...ofIds, 'normalize'] };
  if (isPrincipalId)
    return { key: 'principal: true', excluded: [...LETTERS, ...ofIds, 'normalize'] };
  if (format !== undefined) {
    const isBounded = formatNamed(format)?.length !== null;
    const excluded = isBounded ? LETTERS : LETTERS.filter((key) => key !== 'maxLength');
    return { key: `format: ${format}`, excluded };
  }
  return isBlob(node) ? { key: 'blob: true', excluded: CHOSEN_LETTERS } : undefined;
}

/**
 * Reports keys beside `setOf` that mean nothing for a set, or for keys with a schema of their own.
 */
function judgeSet(node: Located, keys: Located, report: Report): void {
  const { type } = typeOf(node);
  const legal =
    keys.value === 'string' && !isPrincipal(node) ? [...OF_A_SET, ...KEYS_OF_SETS] : OF_A_SET;
  if (type !== 'object')
    report(
      'misplaced-key',
      keys.at,
      `a set is an object: with "setOf", "type" is left out or [object, 'null'], not ${type}.`,
    );
  for (const { name, nameAt } of members(node)) {
    if (typesOfKey(name) === undefined || legal.includes(name)) continue;
    report(
      'misplaced-key',
      nameAt,
      `"${name}" does not go with "setOf": legal are ${oneOf(legal)}` +
        `${keys.value === 'string' ? '' : '; write in setOf what its keys are'}.`,
    );
  }
}
