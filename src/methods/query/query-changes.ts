import type { QueryChangesArguments, QueryChangesResponse } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import type { ChangeKind, QueryPlan, Snapshot, View } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import { addChanges, type NetChanges } from '../changes/changes-page.js';
import type { MethodBody, Services } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { recognisedQuery } from '../quota/recognised.js';
import {
  cannotCalculate,
  parseState,
  requireReached,
  requireUnbroken,
  type Span,
} from '../states.js';
import { indexOf } from '../type-index.js';
import {
  formatStateOf,
  knownTypeOf,
  parseViewState,
  stateViewOf,
  viewOf,
} from '../view-of-call.js';
import {
  compileQuery,
  formatQueryState,
  isQueryState,
  isStable,
  stateIn,
  totalOf,
} from './query-plan.js';
import {
  type ChangesScene,
  type GroupChanges,
  noteGroups,
  reachOf,
  requireGroups,
} from './shaped-changes.js';
import { viewerChangesSince } from './viewer-query-changes.js';
import { planOfView, tellsChanges } from './visible-plans.js';

/**
 * Change records read at once; a second read is only needed when objects changed again and again.
 */
const MIN_RECORDS = 5000;

/** Answers Foo/queryChanges (RFC 8620 5.6). */
export const queryChanges: MethodBody<QueryChangesArguments> = async (args, context) => {
  const type = knownTypeOf(context, typeOf(context));
  const account = accountOf(context);
  const view = viewOf(context, type);
  const stateView = stateViewOf(context, type);
  const asked = compileQuery(indexOf(type), args.filter ?? null, args.sort ?? null, args);
  const compiled = recognisedQuery(type, asked, context);
  const { hash } = compiled;
  const plan = view === null ? compiled.plan : planOfView(compiled.plan, view);
  const since = numberIn(stateIn(args.sinceQueryState, hash), stateView);
  if (since === null) {
    cannotCalculate('"sinceQueryState" was not issued for this type, filter and sort.', {
      code: isQueryState(args.sinceQueryState) ? 'otherQuery' : 'notAState',
    });
  }
  if (!tellsChanges({ plan, view })) {
    const why = 'Changes of a tree or of collapsed results are told to users who see all objects.';
    cannotCalculate(why, { code: 'partlyVisible' });
  }
  const options = { deadline: context.deadline, mayScan: true };
  const response = await context.services.store.read(account.id, options, async (snapshot) => {
    const {
      kinds: changes,
      left,
      current,
    } = await changesSince(snapshot, { type, plan, view, stateView, since }, context.services);
    const { createdIds } = context.request;
    const id = args.upToId && isStable(plan) ? resolveId(args.upToId, createdIds) : null;
    const rank = id === null ? null : await snapshot.rank(type, plan, id);
    const last = id === null || rank === null ? null : { id, index: rank };
    const scene = { type, plan, left, maximum: context.services.limits.queryChangesMax };
    const { removed, added } = await difference(snapshot, scene, changes, last);
    requireFew(removed.length + added.length, args.maxChanges ?? null);
    const total = args.calculateTotal === true ? await totalOf(snapshot, type, plan) : null;
    return {
      accountId: account.id,
      oldQueryState: args.sinceQueryState,
      newQueryState: formatQueryState(formatStateOf(current, stateView), hash),
      ...(total === null ? {} : { total }),
      removed,
      added,
    };
  });
  return context.admit<QueryChangesResponse>(response);
};

/** Returns the number of a state; null where it was not issued for such a view. */
function numberIn(state: string | null, view: View | null): number | null {
  if (state === null) return null;
  if (view === null) return parseState(state);
  const moment = parseViewState(state, view);
  return moment?.upTo === undefined ? (moment?.number ?? null) : null;
}

/** Returns what has changed since a number for whoever asks, and the number now. */
async function changesSince(
  snapshot: Snapshot,
  { view, stateView, since, ...scene }: Pick<ChangesScene, 'type' | 'plan'> & Asked,
  services: Services,
): Promise<Since & { readonly current: number }> {
  const { type } = scene;
  if (view !== null) {
    const changes = await viewerChangesSince(snapshot, { type, view, since }, services);
    return { ...changes, left: new Map() };
  }
  const last = await snapshot.stateNumber(type);
  const current = stateView === null ? last : await snapshot.viewNumber(type, stateView);
  requireReached('sinceQueryState', { since, current });
  // Records behind that are of values of other users.
  const span = { since, current: since === current ? current : last };
  return { ...(await netChangesSince(snapshot, scene, span, services)), current };
}

interface Asked {
  readonly view: View | null;
  readonly stateView: View | null;
  readonly since: number;
}

/** The changes since a state. */
interface Since {
  readonly kinds: NetChanges;
  readonly left: GroupChanges['left'];
}

interface Added {
  readonly id: string;
  readonly index: number;
}

interface Difference {
  readonly removed: readonly string[];
  /** In order of index. */
  readonly added: readonly Added[];
}

/**
 * Returns the net change of each object since then, and keeps no more in memory: a few objects may
 * have changed millions of times. Refuses more than QUERY_CHANGES_MAX objects.
 */
async function netChangesSince(
  snapshot: Snapshot,
  { type, plan }: Pick<ChangesScene, 'type' | 'plan'>,
  { since, current }: Span,
  services: Services,
): Promise<Since> {
  const maximum = services.limits.queryChangesMax;
  const size = Math.max(maximum + 1, MIN_RECORDS);
  const kinds = new Map<string, ChangeKind | null>();
  const groups: GroupChanges = { moved: new Set(), left: new Map() };
  let reached = since;
  while (reached < current) {
    const page = await snapshot.changes(type, reached, size);
    requireUnbroken(page, { since: reached, current }, page.length < size, services);
    addChanges(kinds, page);
    if (plan.shape?.kind === 'collapse') noteGroups(groups, page, plan.shape.by);
    if (kinds.size > maximum)
      cannotCalculate(`More than ${maximum} objects have changed.`, {
        ...{ code: 'tooManyChanged', since, current, maximum },
      });
    reached += page.length;
  }
  if (plan.shape?.kind === 'collapse') requireGroups(kinds, groups, { since, current });
  return { kinds, left: groups.left };
}

/** 5.6: the object `upToId` and its index; it counts only if no position can have changed. */
interface Last {
  readonly id: string;
  readonly index: number;
}

/**
 * Returns `removed` and `added` of 5.6. removed: objects changed or destroyed since then, less
 * those created since. added: changed objects that match now. An object that may have moved is in
 * both. If filter and sort read nothing that changes, an update moves no object, and it is in
 * neither. Both leave out, without reading it, what lies behind `last`; of a destroyed object this
 * is known only if the order is by id.
 */
async function difference(
  snapshot: Snapshot,
  scene: ChangesScene,
  changes: NetChanges,
  last: Last | null,
): Promise<Difference> {
  const { type, plan } = scene;
  const mayMove = !isStable(plan);
  const changed = [...changes].flatMap(([id, kind]) =>
    kind === 'created' || (kind === 'updated' && mayMove) ? [id] : [],
  );
  const { others, present } =
    plan.shape === undefined || (changed.length === 0 && scene.left.size === 0)
      ? { others: [], present: changed }
      : await reachOf(snapshot, { ...scene, shape: plan.shape }, changes, changed);
  const bound = last === null ? [] : [last.index + 1];
  const added = await snapshot.ranks(type, plan, present, ...bound);
  const ascending = idOrder(plan);
  const isBehind = (id: string): boolean =>
    last !== null && ascending !== null && (ascending ? id > last.id : id < last.id);
  const removed = [...changes].flatMap(([id, kind]) =>
    (kind === 'destroyed' && !isBehind(id)) || (kind === 'updated' && mayMove) ? [id] : [],
  );
  for (const id of others) if (!isBehind(id)) removed.push(id);
  return { removed, added: added.map(({ id, index }) => ({ id, index })) };
}

/**
 * Returns whether the results ascend by id: ids embed the time of creation. Null where another
 * property decides.
 */
function idOrder(plan: QueryPlan): boolean | null {
  if (plan.shape?.kind === 'tree' && plan.shape.sorts) return null;
  const [first] = plan.sort;
  if (first === undefined) return true;
  const { role } = first.sort.property;
  // A key behind `created` decides between objects of one millisecond.
  const isById = role === 'id' || (role === 'created' && plan.sort.length === 1);
  return isById ? first.ascending : null;
}

/** 5.6: each item of `removed` and of `added` is one change. */
function requireFew(count: number, maximum: number | null): void {
  if (maximum === null || count <= maximum) return;
  throw new MethodError('tooManyChanges', `There are ${count} changes, more than "maxChanges".`);
}
