import type { AccountAccess } from '../../accounts/principal.js';
import type { CopyArguments } from '../../capability/standard.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { emptyObject, isJsonObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { Problems, quoted } from '../issues.js';
import { inOrder } from '../set/creation-order.js';
import { type Draft, draftOverrides, type PlannedCreate } from '../set/draft.js';
import { type PlanScene, requireObjects } from '../set/plan.js';
import type { CreationIds } from '../set/value.js';
import type { TypeIndex } from '../type-index.js';

export interface CopyPlan {
  /** The overrides of each copy, in the order in which copies are judged (D13). */
  readonly creates: readonly PlannedCreate[];
  /** By creation id, the id of the original; without those that name none. */
  readonly sourceIds: ReadonlyMap<string, string>;
  readonly createdIds: CreationIds;
}

/** One /copy. */
export interface CopyScene {
  readonly index: TypeIndex;
  readonly plan: CopyPlan;
  readonly from: AccountAccess;
  readonly context: CallContext;
  /** The client's arguments, if a hook has replaced them; the plan is made of the hook's. */
  readonly sent: CopyArguments | undefined;
}

/** Pauses before each object. Throws `requestTooLarge` for more than `maximum`. */
export function* planCopy(
  index: TypeIndex,
  create: Readonly<Record<string, JsonValue>>,
  { createdIds: earlier, maximum, ids }: PlanScene,
): Steps<CopyPlan> {
  const entries = Object.entries(create).map(([key, value]) => ({
    key,
    value,
    birth: ids.next('r'),
  }));
  requireObjects(entries.length, maximum);
  const own = new Map(entries.map(({ key, birth }) => [key, birth.id]));
  const createdIds = { earlier, own, ownType: index.type.name };
  const planned: PlannedCreate[] = [];
  const sourceIds = new Map<string, string>();
  for (const { key, value, birth } of entries) {
    yield;
    const { draft, sourceId } = yield* planOne(index, value, createdIds);
    planned.push({ key, draft, birth });
    // A /set refuses to create a singleton, whatever its original.
    if (sourceId !== null && index.type.singleton !== true) sourceIds.set(key, sourceId);
  }
  const creates = index.references.length > 0 ? yield* inOrder(index, planned) : planned;
  return { creates, sourceIds, createdIds };
}

/** 5.4: the object must have the `id` of the original; all else overrides. */
function* planOne(
  index: TypeIndex,
  value: JsonValue,
  createdIds: CreationIds,
): Steps<{ readonly draft: Draft; readonly sourceId: string | null }> {
  const { name } = index.roles.id;
  const overrides = Object.assign(emptyObject(), isJsonObject(value) ? value : {});
  const id = overrides[name];
  delete overrides[name];
  const draft = yield* draftOverrides(index, overrides, createdIds);
  if (typeof id !== 'string') {
    const problems = new Problems();
    problems.add(name, `must be the id of the ${index.type.name} to copy`);
    problems.addAll(draft.problems);
    return { draft: { ...draft, problems }, sourceId: null };
  }
  const sourceId = resolveId(id, createdIds.earlier);
  const refused = sourceId === null ? originalNotFound(id) : null;
  return { draft: { ...draft, refused }, sourceId };
}

export function originalNotFound(id: string): SetError {
  return setError('notFound', `There is no object ${quoted(id)} to copy.`);
}
