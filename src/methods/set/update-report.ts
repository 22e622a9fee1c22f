import { jsonEqual } from '../../protocol/equal.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { applyPatch } from '../../protocol/patch.js';
import type { StoredObject } from '../../store/port.js';
import { firstToken } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';

/** What a client takes the properties that its updates named to be; undefined where it can't know. */
export type Expected = ReadonlyMap<string, JsonValue | undefined>;

/** What patches make of an object as the client sees it: what it gave, as it gave it. */
export function expectedBy(before: JsonObject, patches: readonly JsonObject[]): Expected {
  const expected = new Map<string, JsonValue | undefined>();
  let view = before;
  for (const patch of patches) {
    const result = applyPatch(view, patch);
    const touched =
      result.kind === 'patched'
        ? new Map([...result.touched].map(([name, value]) => [name, value ?? null] as const))
        : new Map(Object.keys(patch).map((pointer) => [firstToken(pointer), undefined] as const));
    for (const [name, value] of touched) expected.set(name, value);
    view = Object.assign(emptyObject(), view, Object.fromEntries(touched));
  }
  return expected;
}

/**
 * 5.3: `updated` always, and each property whose stored value isn't what the client takes it to be,
 * whether the form of a value or what followed from the call made it so. Null where nothing changed.
 */
export function updateReport(
  index: TypeIndex,
  expected: Expected,
  before: StoredObject,
  after: StoredObject,
): JsonObject | null {
  if (before === after) return null;
  const report = emptyObject();
  for (const { name } of index.visible) {
    const now = after[name] ?? null;
    const known = expected.has(name) ? expected.get(name) : (before[name] ?? null);
    if (known === undefined || !jsonEqual(known, now)) report[name] = now;
  }
  const updated = index.roles.updated.name;
  report[updated] = after[updated] ?? null;
  return report;
}
