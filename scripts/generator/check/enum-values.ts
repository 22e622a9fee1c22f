import type { JsonValue } from '../../../src/protocol/json.js';
import { typeOf } from '../descriptor/kinds.js';
import { member } from '../load/located.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** The values of an enum have the type that the schema says, each once. */
export const enumValues: Rule = (views, report) => {
  for (const { node, label } of views.flatMap(schemasOf)) {
    const { type, nullable } = typeOf(node);
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
    }
  }
};

function hasType(value: JsonValue, type: string | undefined): boolean {
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
