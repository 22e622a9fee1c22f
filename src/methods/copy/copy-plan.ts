import { type SetError, setError } from '../../protocol/errors.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import { resolveId } from '../creation-ids.js';
import { Problems, quoted } from '../issues.js';
import { inOrder } from '../set/creation-order.js';
import { type Birth, type Draft, draftOverrides, type PlannedCreate } from '../set/draft.js';
import { type PlanScene, requireObjects } from '../set/plan.js';
import { singletonError } from '../set/singleton.js';
import type { CreationIds } from '../set/value.js';
import type { TypeIndex } from '../type-index.js';

/** An entry of a /copy's `create`: which object, and what is to be different in the copy. */
export type PlannedCopy =
  | {
      readonly kind: 'copy';
      readonly sourceId: string;
      readonly overrides: Draft;
      /** What the copy gets if it comes to be. */
      readonly birth: Birth;
    }
  /** It doesn't name an original; more may be at fault. */
  | { readonly kind: 'nameless'; readonly problems: Problems; readonly overrides: Draft }
  | { readonly kind: 'refused'; readonly error: SetError };

export interface CopyPlan {
  /** By creation id, in the order in which they are judged (D13). */
  readonly entries: ReadonlyMap<string, PlannedCopy>;
  readonly createdIds: CreationIds;
}

/** Pauses before each object. Throws `requestTooLarge` for more than `maximum`. */
export function* planCopy(
  index: TypeIndex,
  create: Readonly<Record<string, JsonValue>>,
  { createdIds, maximum, ids }: PlanScene,
): Steps<CopyPlan> {
  const entries = Object.entries(create);
  requireObjects(entries.length, maximum);
  const births = new Map(entries.map(([key]) => [key, ids.next('r')]));
  const own = new Map([...births].map(([key, { id }]) => [key, id]));
  const scene = { earlier: createdIds, own, ownType: index.type.name };
  const planned = new Map<string, PlannedCopy>();
  for (const [key, value] of entries) {
    yield;
    const birth = births.get(key);
    if (birth !== undefined) planned.set(key, yield* planOne(index, value, scene, birth));
  }
  const plan = { entries: planned, createdIds: scene };
  if (index.references.length === 0) return plan;
  const ordered = new Map<string, PlannedCopy>();
  // Where those are that are refused already means nothing.
  const copies = (yield* inOrder(index, copiesOf(plan))).map(({ key }) => key);
  for (const key of [...copies, ...planned.keys()]) {
    const entry = planned.get(key);
    if (entry !== undefined) ordered.set(key, entry);
  }
  return { entries: ordered, createdIds: scene };
}

/** What the copies override, as creates are planned. */
export function copiesOf(plan: CopyPlan): readonly PlannedCreate[] {
  const copies: PlannedCreate[] = [];
  for (const [key, entry] of plan.entries) {
    if (entry.kind === 'copy') copies.push({ key, draft: entry.overrides, birth: entry.birth });
  }
  return copies;
}

/** The same with those that lack the id of their original, which have more at fault perhaps. */
export function draftsOf(plan: CopyPlan): readonly Pick<PlannedCreate, 'key' | 'draft'>[] {
  const drafts: Pick<PlannedCreate, 'key' | 'draft'>[] = [];
  for (const [key, entry] of plan.entries) {
    if (entry.kind !== 'refused') drafts.push({ key, draft: entry.overrides });
  }
  return drafts;
}

/** 5.4: the object must have the `id` of the original; all else overrides. */
function* planOne(
  index: TypeIndex,
  value: JsonValue,
  createdIds: CreationIds,
  birth: Birth,
): Steps<PlannedCopy> {
  if (index.type.singleton === true) return { kind: 'refused', error: singletonError(index) };
  const idName = index.roles.id.name;
  const id = isJsonObject(value) && Object.hasOwn(value, idName) ? value[idName] : undefined;
  const problems = new Problems();
  if (typeof id !== 'string')
    problems.add(idName, `must be the id of the ${index.type.name} to copy`);
  if (!isJsonObject(value)) return { kind: 'refused', error: problems.toSetError() };
  const overrides = yield* draftOverrides(index, without(value, idName), createdIds);
  if (typeof id !== 'string') {
    problems.addAll(overrides.problems);
    return { kind: 'nameless', problems, overrides };
  }
  const sourceId = resolveId(id, createdIds.earlier);
  if (sourceId === null) return { kind: 'refused', error: originalNotFound(id) };
  return { kind: 'copy', sourceId, birth, overrides };
}

export function originalNotFound(id: string): SetError {
  return setError('notFound', `There is no object ${quoted(id)} to copy.`);
}

function without(object: JsonObject, name: string): JsonObject {
  const rest = Object.assign(emptyObject(), object);
  delete rest[name];
  return rest;
}
