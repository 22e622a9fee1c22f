import type { DataTypeDefinition } from '../capability/definition.js';
import type { QueryChangesArguments, QueryChangesResponse } from '../capability/standard.js';
import { MethodError } from '../protocol/errors.js';
import type { ChangeKind, QueryPlan, Snapshot } from '../store/port.js';
import { accountOf } from './accounts.js';
import { addChanges, type NetChanges } from './changes.js';
import type { CallContext, Services, StandardMethod } from './context.js';
import { resolveId } from './creation-ids.js';
import { compileQuery, formatQueryState, isStable, parseQueryState } from './query-plan.js';
import { cannotCalculate, requireUnbroken } from './states.js';
import { indexOf } from './type-index.js';

/**
 * Change records read at once; a second read is only needed when objects changed again and again.
 */
const MIN_RECORDS = 5000;

/** Foo/queryChanges (RFC 8620 5.6, D16). */
export const queryChanges: StandardMethod<QueryChangesArguments, QueryChangesResponse> = async (
  type,
  args,
  context,
) => {
  const account = accountOf(context);
  const { plan, hash } = compileQuery(indexOf(type), args.filter ?? null, args.sort ?? null);
  const since = parseQueryState(args.sinceQueryState, hash);
  if (since === null) {
    cannotCalculate('"sinceQueryState" was not issued for this type, filter and sort.');
  }
  return context.services.store.read(account.id, context, async (snapshot) => {
    const current = await snapshot.stateNumber(type);
    if (since > current) cannotCalculate('"sinceQueryState" is ahead of the current state.');
    const changes = await netChangesSince(snapshot, type, since, current, context.services);
    const all = await difference(snapshot, type, plan, changes);
    const { removed, added } = await upTo(snapshot, type, plan, args.upToId ?? null, all, context);
    requireFew(removed.length + added.length, args.maxChanges ?? null);
    const total = args.calculateTotal === true ? await snapshot.count(type, plan.filter) : null;
    return {
      accountId: account.id,
      oldQueryState: args.sinceQueryState,
      newQueryState: formatQueryState(current, hash),
      ...(total === null ? {} : { total }),
      removed,
      added,
    };
  });
};

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
 * What has become of each object since then; refused where they are more than QUERY_CHANGES_MAX.
 * Only that is kept in memory: a few objects may have changed millions of times.
 */
async function netChangesSince(
  snapshot: Snapshot,
  type: DataTypeDefinition,
  since: number,
  current: number,
  services: Services,
): Promise<NetChanges> {
  const maximum = services.limits.queryChangesMax;
  const size = Math.max(maximum + 1, MIN_RECORDS);
  const kinds = new Map<string, ChangeKind | null>();
  let reached = since;
  while (reached < current) {
    const page = await snapshot.changes(type, reached, size);
    requireUnbroken(page, reached, current, page.length < size, services);
    addChanges(kinds, page);
    if (kinds.size > maximum) cannotCalculate(`More than ${maximum} objects have changed.`);
    reached += page.length;
  }
  return kinds;
}

/**
 * removed: changed or destroyed since then, less those created since. added: those of the changed
 * that match now. An object that may have moved is in both, as 5.6 requires.
 */
async function difference(
  snapshot: Snapshot,
  type: DataTypeDefinition,
  plan: QueryPlan,
  changes: NetChanges,
): Promise<Difference> {
  const removed: string[] = [];
  const changed: string[] = [];
  for (const [id, kind] of changes) {
    if (kind === 'updated' || kind === 'destroyed') removed.push(id);
    if (kind === 'updated' || kind === 'created') changed.push(id);
  }
  const added = changed.length === 0 ? [] : await snapshot.ranks(type, plan, changed);
  return { removed, added: added.map(({ id, index }) => ({ id, index })) };
}

/**
 * Leaves out what lies behind `upToId` (5.6). Only where no position can have changed; an object
 * that is gone is known to lie behind it where the order is that of ids.
 */
async function upTo(
  snapshot: Snapshot,
  type: DataTypeDefinition,
  plan: QueryPlan,
  upToId: string | null,
  all: Difference,
  context: CallContext,
): Promise<Difference> {
  if (upToId === null || !isStable(plan)) return all;
  const id = resolveId(upToId, context.request.createdIds);
  const last = id === null ? null : await snapshot.rank(type, plan, id);
  if (id === null || last === null) return all;
  const indexes = new Map(all.added.map((item) => [item.id, item.index]));
  const ascending = idOrder(plan);
  const behind = (removed: string): boolean => {
    const index = indexes.get(removed);
    if (index !== undefined) return index > last;
    return ascending !== null && (ascending ? removed > id : removed < id);
  };
  return {
    removed: all.removed.filter((removed) => !behind(removed)),
    added: all.added.filter((item) => item.index <= last),
  };
}

/**
 * Whether the results ascend by id: ids embed the time of creation. Null where another property
 * decides.
 */
function idOrder(plan: QueryPlan): boolean | null {
  const [first] = plan.sort;
  if (first === undefined) return true;
  const { role } = first.sort.property;
  return role === 'id' || role === 'created' ? first.ascending : null;
}

/** 5.6: each item of `removed` and of `added` is one change. */
function requireFew(count: number, maximum: number | null): void {
  if (maximum === null || count <= maximum) return;
  throw new MethodError('tooManyChanges', `There are ${count} changes, more than "maxChanges".`);
}
