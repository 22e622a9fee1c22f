import type { Comparator, CopyArguments, SetArguments } from '../capability/standard.js';
import { typeOf } from '../methods/accounts.js';
import type { CallContext } from '../methods/context.js';
import { planCopy } from '../methods/copy/draft-copies.js';
import { requireGetLimit } from '../methods/get/get.js';
import { compileQuery } from '../methods/query/query-plan.js';
import { draftCreate, isServerSet, refusal } from '../methods/set/draft.js';
import { type PlannedUpdate, planSet, type SetPlan } from '../methods/set/plan-set.js';
import { sceneOf } from '../methods/set/set.js';
import { answeredName } from '../methods/set/unknown-members.js';
import { indexOf, type TypeIndex } from '../methods/type-index.js';
import { knownTypeOf } from '../methods/view-of-call.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { parsePointer } from '../protocol/json-pointer.js';
import type { Steps } from '../runtime/paused-work.js';

/** The part of a client's arguments that a `before` gets. */
export interface OfferedPart {
  readonly args: JsonObject;
  /** Puts back the entries that the hook didn't get, so that the client hears of their faults. */
  complete(args: JsonObject): JsonObject;
}

/**
 * Judges a client's arguments as far as that goes without data. Throws the method error of
 * arguments beyond a limit, and of a filter or a sort that the type doesn't have. Leaves out
 * objects and patches that are wrong by themselves. Pauses before each object.
 */
export function* offerArguments(args: JsonObject, context: CallContext): Steps<OfferedPart> {
  const { body } = context.method;
  if (!isPlanned(body)) {
    LIMITS.get(body)?.(args, context);
    return { args, complete: (given) => given };
  }
  return yield* offerEntries(args, yield* PLANS[body](args, context));
}

function knownIndexOf(context: CallContext): TypeIndex {
  return indexOf(knownTypeOf(context, typeOf(context)));
}

type Require = (args: JsonObject, context: CallContext) => void;

const requireQuery: Require = ({ filter = null, sort = null }, context) => {
  const comparators = sort as unknown as readonly Comparator[] | null;
  compileQuery(knownIndexOf(context), filter as JsonObject | null, comparators);
};

/** Functions that throw where arguments are beyond a limit, by the method. */
const LIMITS: ReadonlyMap<string, Require> = new Map([
  [
    'get',
    ({ ids = null }, { services }) =>
      requireGetLimit(ids as readonly string[] | null, services.limits),
  ],
  ['query', requireQuery],
  ['queryChanges', requireQuery],
]);

/** The plans of methods whose arguments have objects. */
const PLANS = Object.freeze({
  set(args: JsonObject, context: CallContext): Steps<SetPlan> {
    // A hook may give what is missing.
    const draft: typeof draftCreate = (scene, value) =>
      draftCreate({ ...scene, required: [] }, value);
    const given = args as unknown as SetArguments;
    const known = knownIndexOf(context);
    return planSet(indexOf(typeOf(context)), given, { ...sceneOf(context), known, draft });
  },
  copy(args: JsonObject, context: CallContext): Steps<SetPlan> {
    const { create } = args as unknown as CopyArguments;
    return planCopy(indexOf(typeOf(context)), create, {
      ...sceneOf(context),
      known: knownIndexOf(context),
    });
  },
});

function isPlanned(body: string): body is keyof typeof PLANS {
  return Object.hasOwn(PLANS, body);
}

/** Leaves out the entries of `create` and `update` that the plan refuses. */
function* offerEntries(args: JsonObject, plan: SetPlan): Steps<OfferedPart> {
  const offered = new Map<string, JsonObject>();
  const withheld = new Map<string, JsonObject>();
  const divide = (name: string, legal: JsonObject): void => {
    const sent = args[name] ?? null;
    if (!isJsonObject(sent)) return;
    offered.set(name, legal);
    const rest = Object.keys(sent).filter((key) => !Object.hasOwn(legal, key));
    if (rest.length === 0) return;
    withheld.set(name, Object.fromEntries(rest.map((key) => [key, sent[key] ?? null])));
  };
  const creates = plan.creates.filter(({ draft }) => refusal(draft) === null);
  divide('create', entriesOf(creates.map(({ key, draft }) => [key, draft.sent])));
  const patches: [string, JsonValue][] = [];
  for (const update of plan.updates) {
    yield;
    if (yield* isLegalPatch(plan, update)) patches.push([update.key, update.patch]);
  }
  divide('update', entriesOf(patches));
  return {
    args: { ...args, ...Object.fromEntries(offered) },
    complete: (given) => withEntries(given, args, withheld),
  };
}

function entriesOf(entries: readonly (readonly [key: string, value: JsonValue])[]): JsonObject {
  const object = emptyObject();
  for (const [key, value] of entries) object[key] = value;
  return object;
}

/**
 * Arguments that the hook gave back untouched are the client's own, and lack no entry. Of others,
 * an entry by the hook counts.
 */
function withEntries(
  given: JsonObject,
  sent: JsonObject,
  withheld: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const complete = Object.assign(emptyObject(), given);
  for (const [name, entries] of withheld) {
    if (given[name] === sent[name]) continue;
    complete[name] = Object.assign(emptyObject(), entries, given[name]);
  }
  return complete;
}

/** Returns whether the values of a patch have the types of their properties. */
function* isLegalPatch(
  { index, createdIds }: SetPlan,
  { patch, refused, doubled }: PlannedUpdate,
): Steps<boolean> {
  if (refused !== null || doubled !== undefined) return false;
  const values = emptyObject();
  for (const pointer of Object.keys(patch)) {
    const [name = '', ...path] = parsePointer(`/${pointer}`) ?? [];
    const property = index.properties.get(name);
    // A property that the server makes may be given with its current value.
    if (path.length === 0 && answeredName(index, name) !== null) continue;
    if (property === undefined && index.unknown === null) return false;
    if (path.length > 0 || (property !== undefined && isServerSet(property))) continue;
    const value = patch[pointer] ?? null;
    if (value !== null) values[name] = value;
    else if (property !== undefined && !mayBeNull(property)) return false;
  }
  const scene = { index, createdIds, author: 'client', required: [] } as const;
  return refusal(yield* draftCreate(scene, values)) === null;
}

/** Null stands for the default. */
function mayBeNull(property: TypeIndex['visible'][number]): boolean {
  const { nullable, optional, defaultNow, default: fallback } = property;
  return nullable || optional === true || defaultNow === true || fallback !== undefined;
}
