import type { JsonValue } from '../../protocol/json.js';
import { compilePattern } from '../../text/index.js';
import { typeOf } from '../kinds.js';
import { type Located, member, text } from '../located.js';
import { whyNoPattern } from './patterns.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/**
 * Refuses values of an enum that lack the type or the bounds that the schema says, or stand twice.
 */
export const enumValues: Rule = (views, report) => {
  for (const { node, label: name } of views.flatMap(schemasOf)) {
    // Beside `setOf: string` the enum is about the keys, and no key is null.
    const isOfKeys = text(member(node, 'setOf')) === 'string';
    const label = isOfKeys ? `${name}/keys` : name;
    const { type, nullable } = isOfKeys ? KEY : typeOf(node);
    const seen = new Set<JsonValue>();
    for (const { value, at } of member(node, 'enum')?.items ?? []) {
      if (seen.has(value))
        report('duplicate-entry', at, `${JSON.stringify(value)} is listed twice.`);
      seen.add(value);
      if (value === null ? !nullable : !hasType(value, type))
        report(
          'bad-enum-value',
          at,
          `${JSON.stringify(value)} is no ${type ?? 'value'}, which "${label}" ` +
            `is${nullable ? ' (or null)' : ''}.`,
        );
      else {
        const why = outOfBounds(value, node);
        if (why !== undefined)
          report('bad-enum-value', at, `no "${label}" can be ${JSON.stringify(value)}: ${why}.`);
      }
    }
  }
};

/** The type of a set's keys. */
const KEY = Object.freeze({ type: 'string', nullable: false });

/** Returns the bound or the pattern that a value breaks, in words; undefined if it breaks none. */
export function outOfBounds(value: JsonValue, node: Located): string | undefined {
  const keyed = (key: string) => member(node, key);
  const limit = (key: string) => {
    const bound = keyed(key)?.value;
    return typeof bound === 'number' ? bound : undefined;
  };
  if (typeof value === 'number') {
    if (value < (limit('minimum') ?? value)) return `minimum is ${limit('minimum')}`;
    return value > (limit('maximum') ?? value) ? `maximum is ${limit('maximum')}` : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const { length } = [...value];
  if (length < (limit('minLength') ?? length)) return `minLength is ${limit('minLength')}`;
  if (length > (limit('maxLength') ?? length)) return `maxLength is ${limit('maxLength')}`;
  const pattern = text(keyed('pattern'));
  if (pattern === undefined || whyNoPattern(pattern) !== undefined) return undefined;
  return compilePattern(pattern).test(value) ? undefined : `pattern is ${pattern}`;
}

/** Returns whether a value of an enum can be one of its type. U+0000 can't be stored. */
export function hasType(value: JsonValue, type: string | undefined): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && !value.includes('\u0000');
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      // Other types have no enum; that is another rule's complaint.
      return true;
  }
}
