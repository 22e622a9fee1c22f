import type { JsonValue } from '../../protocol/json.js';
import { BOUNDS } from '../bounds.js';
import { typeOf, typeOfValue } from '../kinds.js';
import { member } from '../located.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** Refuses a constant that its property could never hold. */
export const constants: Rule = (views, report) => {
  for (const { node, label } of views.flatMap(schemasOf)) {
    const constant = member(node, 'const');
    if (constant === undefined) continue;
    const { value, at } = constant;
    const complain = (why: string) => report('bad-const', at, `the const of "${label}" ${why}.`);
    const own = typeOfValue(value);
    const { type, nullable } = typeOf(node);
    if (member(node, 'setOf') !== undefined)
      complain('does not go with setOf: write the keys as an enum');
    else if (own === undefined && !nullable)
      complain("is null, which needs a type that may be null: type: [string, 'null']");
    else if (own !== undefined && own !== type && !(own === 'integer' && type === 'number'))
      complain(`is of type ${own}, and the type says ${type ?? 'nothing'}`);
    else if (holdsNul(value)) complain('has U+0000, which no database keeps');
    else if (JSON.stringify(value).length > BOUNDS.stringLength)
      complain(`is longer than ${BOUNDS.stringLength} characters`);
  }
};

/** Returns whether a text or a name in the value has U+0000. */
function holdsNul(value: JsonValue): boolean {
  return JSON.stringify(value).includes('\\u0000');
}
