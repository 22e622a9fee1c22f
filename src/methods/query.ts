import type { DataTypeDefinition } from '../capability/definition.js';
import type { QueryArguments, QueryResponse } from '../capability/standard.js';
import { MethodError } from '../protocol/errors.js';
import type { QueryPlan, Snapshot } from '../store/port.js';
import { accountOf } from './accounts.js';
import type { CallContext, StandardMethod } from './context.js';
import { resolveId } from './creation-ids.js';
import { quoted } from './issues.js';
import { compileQuery, formatQueryState, totalOf } from './query-plan.js';
import { indexOf } from './type-index.js';

/** Foo/query (RFC 8620 5.5, D14 to D16). */
export const query: StandardMethod<QueryArguments, QueryResponse> = async (type, args, context) => {
  const account = accountOf(context);
  const { plan, hash } = compileQuery(indexOf(type), args.filter ?? null, args.sort ?? null);
  const asked = args.limit ?? null;
  const maximum = context.services.limits.queryMaxLimit;
  const clamped = asked === null || asked > maximum;
  const limit = clamped ? maximum : asked;
  // Where nothing has to be known before the page is asked for.
  const once = !hasAnchor(args) && !needsTotal(args);
  const options = { deadline: context.deadline, mayScan: true, once };
  return context.services.store.read(account.id, options, async (snapshot) => {
    const results = async () => {
      const total = needsTotal(args) ? await totalOf(snapshot, type, plan) : 0;
      const position = await startOf(snapshot, type, plan, args, total, context);
      const ids = limit === 0 ? [] : await snapshot.queryIds(type, plan, position, limit);
      return { total, position, ids };
    };
    // Asked together: a database that is elsewhere answers both in one go.
    const [number, { total, position, ids }] = await Promise.all([
      snapshot.stateNumber(type),
      results(),
    ]);
    return {
      accountId: account.id,
      queryState: formatQueryState(number, hash),
      canCalculateChanges: true,
      position,
      ids,
      ...(args.calculateTotal === true ? { total } : {}),
      ...(clamped ? { limit } : {}),
    };
  });
};

function hasAnchor(args: QueryArguments): boolean {
  return args.anchor !== undefined && args.anchor !== null;
}

function needsTotal(args: QueryArguments): boolean {
  return args.calculateTotal === true || (!hasAnchor(args) && (args.position ?? 0) < 0);
}

/**
 * The index of the first result: from the anchor where there is one, then `position` is ignored
 * (5.5).
 */
async function startOf(
  snapshot: Snapshot,
  type: DataTypeDefinition,
  plan: QueryPlan,
  args: QueryArguments,
  total: number,
  context: CallContext,
): Promise<number> {
  const anchor = args.anchor ?? null;
  if (anchor === null) {
    const position = args.position ?? 0;
    return position < 0 ? Math.max(0, total + position) : position;
  }
  const id = resolveId(anchor, context.request.createdIds);
  const rank = id === null ? null : await snapshot.rank(type, plan, id);
  if (rank === null) {
    throw new MethodError('anchorNotFound', `The anchor ${quoted(anchor)} is not in the results.`);
  }
  // The response's position is an UnsignedInt (1.3), however far the offset leads.
  return Math.min(Math.max(0, rank + (args.anchorOffset ?? 0)), Number.MAX_SAFE_INTEGER);
}
