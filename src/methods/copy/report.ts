import { equalSteps } from '../../protocol/equal.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { Steps } from '../../protocol/slices.js';
import type { StoredObject } from '../../store/port.js';
import { isServerSet } from '../set/draft.js';
import type { TypeIndex } from '../type-index.js';

/**
 * 5.4: what the server set: ids, times, new blob ids, and what is stored otherwise than the client
 * takes it to be.
 */
export function* copyReport(
  index: TypeIndex,
  expected: JsonObject,
  object: StoredObject,
  moved: JsonObject,
): Steps<JsonObject> {
  const report = emptyObject();
  for (const property of index.visible) {
    const { name } = property;
    const stored = object[name] ?? null;
    const isSet = isServerSet(property) || Object.hasOwn(moved, name);
    const known = expected[name];
    if (!isSet && known === stored) continue;
    if (isSet || known === undefined || !(yield* equalSteps(known, stored))) report[name] = stored;
  }
  return report;
}
