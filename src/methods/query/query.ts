import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryArguments, QueryResponse } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import type {
  QueryPage,
  QueryPlan,
  QueryWindow,
  Snapshot,
  WantedObjects,
} from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext, StandardMethod } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { wantedBy } from '../get/foresight.js';
import { quoted } from '../issues.js';
import { indexOf } from '../type-index.js';
import { compileQuery, formatQueryState, totalOf } from './query-plan.js';

/** Foo/query (RFC 8620 5.5, D14 to D16). */
export const query: StandardMethod<QueryArguments, QueryResponse> = async (type, args, context) => {
  const account = accountOf(context);
  const { plan, hash } = compileQuery(indexOf(type), args.filter ?? null, args.sort ?? null);
  const asked = args.limit ?? null;
  const maximum = context.services.limits.queryMaxLimit;
  const clamped = asked === null || asked > maximum;
  const limit = clamped ? maximum : asked;
  const wanted = wantedBy(context, type, limit);
  const { total, position, page } =
    hasAnchor(args) || needsTotal(args) || limit === 0
      ? await placed(type, plan, args, limit, wanted, context)
      : await paged(type, plan, { position: args.position ?? 0, limit }, wanted, context);
  const { number, ids, found } = page;
  if (found !== null) context.request.foresight?.found(number, ids, found);
  return {
    accountId: account.id,
    queryState: formatQueryState(number, hash),
    // A filter or sort reads stored columns of its own row alone, so there is none that it can't be told for (D16).
    canCalculateChanges: context.services.registry.methods.has(`${type.name}/queryChanges`),
    position,
    ids,
    ...(args.calculateTotal === true ? { total } : {}),
    ...(clamped ? { limit } : {}),
  };
};

interface Placed {
  readonly total: number;
  readonly position: number;
  readonly page: QueryPage;
}

/** Where nothing has to be known before the page is asked for. */
async function paged(
  type: DataTypeDefinition,
  plan: QueryPlan,
  window: QueryWindow,
  wanted: WantedObjects | null,
  context: CallContext,
): Promise<Placed> {
  const { position } = window;
  const page = await context.services.store.readPage({
    accountId: accountOf(context).id,
    deadline: context.deadline,
    type,
    plan,
    window,
    wanted: wantedAt(position, wanted),
  });
  return { total: 0, position, page };
}

function placed(
  type: DataTypeDefinition,
  plan: QueryPlan,
  args: QueryArguments,
  limit: number,
  wanted: WantedObjects | null,
  context: CallContext,
): Promise<Placed> {
  const options = { deadline: context.deadline, mayScan: hasAnchor(args) || needsTotal(args) };
  return context.services.store.read(accountOf(context).id, options, async (snapshot) => {
    const total = needsTotal(args) ? await totalOf(snapshot, type, plan) : 0;
    const position = await startOf(snapshot, type, plan, args, total, context);
    const page =
      limit === 0
        ? { number: await snapshot.stateNumber(type), ids: [], found: null }
        : await snapshot.page(type, plan, { position, limit }, wantedAt(position, wanted));
    return { total, position, page };
  });
}

/** Rows that are sorted are as wide as what is read of them. */
function wantedAt(position: number, wanted: WantedObjects | null): WantedObjects | null {
  return position > NEAR ? null : wanted;
}

/** A page that begins behind so many objects is read without what it is for. */
const NEAR = 1000;

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
