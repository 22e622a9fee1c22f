import { HookRefusal } from '../../capability/refusal.js';
import { jsonEqual } from '../../protocol/equal.js';
import type { JsonObject } from '../../protocol/json.js';
import { parsePointer } from '../../protocol/json-pointer.js';
import type { StoredObject } from '../../store/port.js';
import { typeOf } from '../accounts.js';
import type { AskedValues } from '../answered-index.js';
import type { CallContext } from '../context.js';
import { distinctIds } from '../creation-ids.js';
import { addAnswers, withSources } from '../get/add-answers.js';
import { readObjects } from '../get/get.js';
import { declaredName, propertiesNamed, type TypeIndex } from '../type-index.js';
import type { PlannedUpdate, SetPlan } from './plan-set.js';

/**
 * Returns the plan with patches that lack answered values which are as they are now: an object as
 * /get shows it is a patch (RFC 8620 5.3). Values that differ stay, and are refused later.
 */
export async function dropAnswered(plan: SetPlan, context: CallContext): Promise<SetPlan> {
  const { index, updates } = plan;
  const naming = updates.filter(
    ({ refused, patch }) => refused === null && hasOthers(index, patch),
  );
  if (naming.length === 0) return plan;
  const names = naming.flatMap(({ patch }) => [...otherNames(index, patch).values()]);
  const { asked } = propertiesNamed(index, names);
  if (asked === null) return plan;
  const ids = distinctIds(
    naming.map(({ id }) => id),
    context.request.createdIds,
  );
  const { objects } = await readObjects(typeOf(context), ids, withSources(index, []), context);
  const answers = await answersOf(objects, asked, context);
  const all = updates.map((update) => withoutEqual(index, update, answers.get(update.id)));
  return { ...plan, updates: all };
}

/** Returns what the hook computes, by id; nothing if it refuses to. */
async function answersOf(
  objects: readonly StoredObject[],
  asked: AskedValues,
  context: CallContext,
): Promise<ReadonlyMap<string, JsonObject>> {
  try {
    const answers = await addAnswers(objects, { properties: [], asked }, context);
    return new Map(answers.map((object) => [object.id, object]));
  } catch (error) {
    if (error instanceof HookRefusal) return NONE;
    throw error;
  }
}

/** Returns whether a patch names more than stored properties. */
function hasOthers(index: TypeIndex, patch: JsonObject): boolean {
  return otherNames(index, patch).size > 0;
}

/** Returns the whole properties of a patch that aren't stored ones: by key, their names. */
function otherNames({ properties }: TypeIndex, patch: JsonObject): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const key of Object.keys(patch)) {
    const [name, ...path] = parsePointer(`/${key}`) ?? [];
    if (name !== undefined && path.length === 0 && !properties.has(name)) names.set(key, name);
  }
  return names;
}

function withoutEqual(
  index: TypeIndex,
  update: PlannedUpdate,
  answered: JsonObject | undefined,
): PlannedUpdate {
  if (answered === undefined || update.refused !== null) return update;
  const { patch } = update;
  const equal = [...otherNames(index, patch)].flatMap(([key, name]) => {
    const declared = declaredName(name, index.answered?.plain ?? NONE, index.type.acceptSnakeCase);
    const value = answered[declared];
    return value !== undefined && jsonEqual(value, patch[key] ?? null) ? [key] : [];
  });
  if (equal.length === 0) return update;
  return { ...update, patch: without(patch, equal), sent: without(update.sent, equal) };
}

function without(patch: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !keys.includes(key)));
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
