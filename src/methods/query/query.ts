import type { DataTypeDefinition } from '../../capability/definition.js';
import type { QueryArguments, QueryResponse } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import type { ObjectSelection, QueryPage, QueryPlan, Snapshot, View } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import type { CallContext, MethodBody } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { recognisedQuery } from '../quota/recognised.js';
import { indexOf } from '../type-index.js';
import { formatStateOf, knownTypeOf, stateViewOf, viewOf } from '../view-of-call.js';
import { compileQuery, formatQueryState, totalOf } from './query-plan.js';
import { planOfView, tellsChanges } from './visible-plans.js';

/** Answers Foo/query (RFC 8620 5.5). */
export const query: MethodBody<QueryArguments> = async (args, context) => {
  const type = knownTypeOf(context, typeOf(context));
  const { id: accountId } = accountOf(context);
  const { deadline, request, services } = context;
  const view = viewOf(context, type);
  const stateView = stateViewOf(context, type);
  const asked = compileQuery(indexOf(type), args.filter ?? null, args.sort ?? null, args);
  const compiled = recognisedQuery(type, asked, context);
  const { hash } = compiled;
  const plan = view === null ? compiled.plan : planOfView(compiled.plan, view);
  const limit = Math.min(args.limit ?? Number.POSITIVE_INFINITY, services.limits.queryMaxLimit);
  const scene = { type, view, stateView, plan, args, limit };
  const { total, position, page } =
    hasAnchor(args) || needsTotal(args) || stateView !== null
      ? await services.store.read(accountId, { deadline, mayScan: true }, (snapshot) =>
          readPlaced(snapshot, scene, context),
        )
      : await readAt(args.position ?? 0, scene, context);
  request.readAhead?.notePage(page);
  return context.admit<QueryResponse>({
    accountId,
    queryState: formatQueryState(formatStateOf(page.number, stateView), hash),
    canCalculateChanges:
      tellsChanges(scene) && services.registry.methods.has(`${type.name}/queryChanges`),
    position,
    ids: page.ids,
    ...(args.calculateTotal === true ? { total } : {}),
    ...(limit === args.limit ? {} : { limit }),
  });
};

interface QueryScene {
  readonly type: DataTypeDefinition;
  /** Null: all objects are seen. */
  readonly view: View | null;
  /** Null: any change moves the state. */
  readonly stateView: View | null;
  readonly plan: QueryPlan;
  readonly args: QueryArguments;
  readonly limit: number;
}

interface Placed {
  readonly total: number;
  readonly position: number;
  readonly page: QueryPage;
}

/** Reads the page where nothing has to be known before. */
async function readAt(
  position: number,
  { type, plan, limit }: QueryScene,
  context: CallContext,
): Promise<Placed> {
  const page = await context.services.store.readPage({
    accountId: accountOf(context).id,
    deadline: context.deadline,
    type,
    plan,
    window: { position, limit },
    selection: selectionAt(position, limit, context),
  });
  return { total: 0, position, page };
}

async function readPlaced(
  snapshot: Snapshot,
  scene: QueryScene,
  context: CallContext,
): Promise<Placed> {
  const { type, stateView, plan, args, limit } = scene;
  const total = needsTotal(args) ? await totalOf(snapshot, type, plan) : 0;
  const position = hasAnchor(args)
    ? await findAnchor(snapshot, scene, context.request.createdIds)
    : startOf(args, total);
  const objects = selectionAt(position, limit, context);
  const page = await snapshot.page(type, plan, { position, limit }, objects);
  if (stateView === null) return { total, position, page };
  const number = await snapshot.viewNumber(type, stateView);
  return { total, position, page: { ...page, number } };
}

/** A page that begins behind so many objects is read without what it is for. */
const NEAR = 1000;

/** Returns null for far pages, since sorting wide rows is slow, or if a /get can't take all. */
function selectionAt(
  position: number,
  limit: number,
  { request, services }: CallContext,
): ObjectSelection | null {
  if (position > NEAR || limit > services.limits.maxObjectsInGet) return null;
  return request.readAhead?.selectObjects(request.remainingOctets) ?? null;
}

function hasAnchor(args: QueryArguments): boolean {
  return args.anchor !== undefined && args.anchor !== null;
}

function needsTotal(args: QueryArguments): boolean {
  return args.calculateTotal === true || (!hasAnchor(args) && (args.position ?? 0) < 0);
}

/** Returns the index of the first result; a negative `position` counts from the end (5.5). */
export function startOf(args: Pick<QueryArguments, 'position'>, total: number): number {
  const position = args.position ?? 0;
  return position < 0 ? Math.max(0, total + position) : position;
}

/** Returns the index of the first result from the anchor: then `position` is ignored (5.5). */
async function findAnchor(
  snapshot: Snapshot,
  { type, plan, args }: QueryScene,
  createdIds: ReadonlyMap<string, string>,
): Promise<number> {
  const anchor = args.anchor ?? '';
  const id = resolveId(anchor, createdIds);
  const rank = id === null ? null : await snapshot.rank(type, plan, id);
  if (rank === null) {
    throw new MethodError('anchorNotFound', `The anchor ${quoted(anchor)} is not in the results.`);
  }
  // The response's position is an UnsignedInt (1.3), however far the offset leads.
  return Math.min(Math.max(0, rank + (args.anchorOffset ?? 0)), Number.MAX_SAFE_INTEGER);
}
