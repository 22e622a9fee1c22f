import { HookRefusal } from '../../capability/refusal.js';
import { equalSteps } from '../../protocol/equal.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { parsePointer } from '../../protocol/json-pointer.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import { runInSlices } from '../../runtime/slices.js';
import { accountOf, typeOf } from '../accounts.js';
import type { AskedValues } from '../answered-index.js';
import type { CallContext } from '../context.js';
import { addAnswers, withSources } from '../get/add-answers.js';
import { readExisting } from '../read-existing.js';
import { indexOf, propertiesNamed } from '../type-index.js';
import { viewOf } from '../view-of-call.js';
import type { PlannedUpdate, SetPlan } from './plan-set.js';
import { answeredName } from './unknown-members.js';
import { findVisible } from './visible-ids.js';

/** The answered properties that a patch gives as a whole: by key, their declared names. */
type Given = ReadonlyMap<string, string>;

/** The same for the patches that give some. */
type AllGiven = ReadonlyMap<PlannedUpdate, Given>;

/**
 * Returns the plan with patches that lack answered values which are as they are now: an object as
 * /get shows it is a patch (RFC 8620 5.3). Values that differ stay, and are refused later.
 */
export async function dropAnswered(plan: SetPlan, context: CallContext): Promise<SetPlan> {
  const slices = context.startSlices();
  const given = await runInSlices(findGiven(plan), slices);
  if (given.size === 0) return plan;
  const names = [...given.values()].flatMap((each) => [...each.values()]);
  const { asked } = propertiesNamed(plan.known, names);
  if (asked === null) return plan;
  const ids = new Set(Array.from(given.keys(), ({ id }) => id));
  const answers = await answersOf([...ids], asked, context);
  return { ...plan, updates: await runInSlices(dropEqual(plan, given, answers), slices) };
}

/** Finds the answered properties that patches give as a whole. Pauses. */
function* findGiven({ known: index, updates }: SetPlan): Steps<AllGiven> {
  const found = new Map<PlannedUpdate, Given>();
  const strides = new Strides();
  for (const update of updates) {
    if (update.refused !== null) continue;
    const names = new Map<string, string>();
    for (const key of Object.keys(update.patch)) {
      if (strides.isOver()) yield;
      const [name, ...path] = parsePointer(`/${key}`) ?? [];
      if (name === undefined || path.length > 0) continue;
      const declared = answeredName(index, name);
      if (declared !== null) names.set(key, declared);
    }
    if (names.size > 0) found.set(update, names);
  }
  return found;
}

/** Returns what the hook computes, by id; nothing if it refuses to. */
async function answersOf(
  ids: readonly string[],
  asked: AskedValues,
  context: CallContext,
): Promise<ReadonlyMap<string, JsonObject>> {
  const { deadline, services } = context;
  const type = typeOf(context);
  const sources = withSources(indexOf(type), []);
  // As much as an update may read: none of it is in the response.
  const view = viewOf(context, type);
  const objects = await services.store.read(
    accountOf(context).id,
    { deadline },
    async (snapshot) => {
      const seen = view === null ? ids : [...(await findVisible(snapshot, type, view, ids))];
      return readExisting(snapshot, type, seen, sources);
    },
  );
  try {
    const answers = await addAnswers(objects, { properties: [], asked }, context);
    return new Map(answers.map((object) => [object.id, object]));
  } catch (error) {
    if (error instanceof HookRefusal) return NONE;
    throw error;
  }
}

/** Takes out of patches what is equal to an answer. Pauses: a value may be large. */
function* dropEqual(
  { known: index, updates }: SetPlan,
  given: AllGiven,
  answers: ReadonlyMap<string, JsonObject>,
): Steps<SetPlan['updates']> {
  const kept: PlannedUpdate[] = [];
  for (const update of updates) {
    const { id, patch, sent } = update;
    const answered = answers.get(id);
    const equal = new Set<string>();
    for (const [key, name] of answered === undefined ? NONE : (given.get(update) ?? NONE)) {
      yield;
      const value = answered?.[name];
      // A null patch of what is absent changes nothing.
      const isKnown = value !== undefined || index.answered?.plain.has(name) === true;
      if (isKnown && (yield* equalSteps(value ?? null, patch[key] ?? null))) equal.add(key);
    }
    if (equal.size === 0) {
      kept.push(update);
      continue;
    }
    const rest = without(patch, equal);
    // The report looks whether the two are the same.
    kept.push({ ...update, patch: rest, sent: sent === patch ? rest : without(sent, equal) });
  }
  return kept;
}

/** Returns the patch without these keys. */
function without(patch: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const rest = emptyObject();
  for (const key in patch) if (!keys.has(key)) rest[key] = patch[key] ?? null;
  return rest;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
