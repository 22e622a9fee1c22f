import type { JsonObject } from '../../protocol/json.js';
import { type Complaint, complaintsOf } from '../issues.js';
import type { TypeIndex } from '../type-index.js';

/**
 * What is wrong with values that clients don't give (internal, serverSet and computed properties),
 * in stored form: hooks are held to the schema as clients are. The validator may put a double in the
 * place of a number that none holds exactly.
 */
export function complaintsOfServerValues(
  index: TypeIndex,
  values: JsonObject,
): readonly Complaint[] {
  const { server } = index.type.validate;
  return server === undefined ? [] : complaintsOf(server, values);
}
