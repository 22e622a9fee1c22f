import { equalSteps } from '../../protocol/equal.js';
import {
  declaredObject,
  emptyObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { patchSteps } from '../../protocol/patch.js';
import type { Steps } from '../../protocol/slices.js';
import type { StoredObject } from '../../store/port.js';
import { firstToken } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';
import type { Touched } from './update.js';

/** What a client takes the properties that its updates named to be; undefined where it can't know. */
export type Expected = ReadonlyMap<string, JsonValue | undefined>;

/** Returns the properties as the client expects them after one patch. */
export function expectedOf(touched: Touched): Expected {
  const expected = new Map<string, JsonValue>();
  for (const [name, value] of touched) expected.set(name, value ?? null);
  return expected;
}

/** What patches make of an object as the client sees it: what it gave, as it gave it. */
export function* expectedBy(before: JsonObject, patches: readonly JsonObject[]): Steps<Expected> {
  const expected = new Map<string, JsonValue | undefined>();
  let view = before;
  for (const [at, patch] of patches.entries()) {
    const result = yield* patchSteps(view, patch);
    const touched =
      result.kind === 'patched'
        ? result.touched
        : new Map(Object.keys(patch).map((pointer) => [firstToken(pointer), undefined] as const));
    const absent = result.kind === 'patched' ? null : undefined;
    for (const [name, value] of touched) expected.set(name, value ?? absent);
    if (at === patches.length - 1) break;
    view = Object.assign(emptyObject(), view, Object.fromEntries(expected));
  }
  return expected;
}

/**
 * 5.3: `updated` always, and each property whose stored value isn't what the client takes it to be,
 * whether the form of a value or what followed from the call made it so. Null where nothing changed
 * and the client takes it so: `isAsSent` where no hook has replaced its patch.
 */
export function* updateReport(
  index: TypeIndex,
  expected: Expected,
  before: StoredObject,
  after: StoredObject,
  isAsSent = true,
): Steps<JsonObject | null> {
  if (before === after && isAsSent) return null;
  const report = declaredObject();
  for (const { name } of index.visible) {
    const now = after[name] ?? null;
    const known = expected.has(name) ? expected.get(name) : (before[name] ?? null);
    if (known === now) continue;
    if (known === undefined || !(yield* equalSteps(known, now))) report[name] = now;
  }
  if (before === after) return Object.keys(report).length === 0 ? null : report;
  const updated = index.roles.updated.name;
  report[updated] = after[updated] ?? null;
  return report;
}
