import type { DataTypeDefinition } from '../../capability/definition.js';
import type { CopyResponse, SetArguments, SetResponse } from '../../capability/standard.js';
import { finish, type Steps } from '../../runtime/paused-work.js';
import { FEW_OBJECTS, runInSlices } from '../../runtime/slices.js';
import type { CallOptions, NewBlob, Transaction } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import type { Answer, CallContext, CreatedIds, MethodBody } from '../context.js';
import type { FollowUp } from '../once.js';
import { indexOf } from '../type-index.js';
import { blobViewOf, formatStateOf, knownTypeOf, stateViewOf } from '../view-of-call.js';
import { UnitOfWork } from '../work/unit.js';
import { upkeepOf } from '../work/upkeep-of-services.js';
import { dropAnswered } from './answered-patches.js';
import type { Author } from './draft.js';
import {
  type PlanScene,
  planSet,
  type SentEntries,
  type SetPlan,
  type Target,
} from './plan-set.js';
import { SetRun } from './run.js';
import { sealSecrets } from './secrets.js';

/**
 * Answers Foo/set (RFC 8620 5.3): one transaction, the same number of statements for any number of
 * objects.
 */
export const set: MethodBody<SetArguments> = async (args, context, sent) => {
  const type = typeOf(context);
  const account = accountOf(context);
  const { services, request } = context;
  const index = indexOf(type);
  // Others wait for the transaction, so the server judges before it whatever needs no data.
  const known = indexOf(knownTypeOf(context, type));
  const planning = planSet(index, args, { ...sceneOf(context, sent), known });
  const planned = await runPlanning(planning, context);
  const sealed = index.secrets.length === 0 ? planned : await sealSecrets(planned, context);
  const plan = index.answered === null ? sealed : await dropAnswered(sealed, context);
  const isLong =
    request.isLong ||
    plan.creates.length + plan.updates.length + plan.destroys.length > FEW_OBJECTS;
  const options = writeOptions(type, context, plan.updates, isLong);
  const write = { plan, ifInState: args.ifInState, isLong };
  const { answer } = await services.store.write(account.id, options, (transaction) =>
    writeSet(write, context, transaction),
  );
  return answer;
};

/** Runs at once what a short request plans. */
export function runPlanning<T>(planning: Steps<T>, context: CallContext): T | Promise<T> {
  const { isLong } = context.request;
  return isLong ? runInSlices(planning, context.startSlices()) : finish(planning);
}

/** A plan with what its transaction needs beside it. */
interface SetWrite {
  readonly plan: SetPlan;
  readonly ifInState: string | null | undefined;
  /** Blobs that get their rows with the objects that name them. */
  readonly newBlobs?: Iterable<NewBlob>;
  /** It takes turns with others. */
  readonly isLong: boolean;
}

interface SetWritten {
  readonly answer: Answer;
  readonly unit: UnitOfWork;
}

/** A call's response, and the calls that follow from it. */
interface Responded {
  readonly response: SetResponse | CopyResponse;
  readonly followUps?: readonly FollowUp[];
}

/** Runs a /set or a /copy in its transaction; `respond` makes a /copy's response of a /set's. */
export async function writeSet(
  { plan, ifInState, newBlobs = [], isLong }: SetWrite,
  context: CallContext,
  transaction: Transaction,
  respond: (changed: SetResponse) => Responded = (response) => ({ response }),
): Promise<SetWritten> {
  context.hooks?.begin();
  const slices = context.startSlices(true);
  if (isLong) await slices.next();
  const { request, services } = context;
  const { relations, quotas } = services.registry;
  const isFollowed = relations.aggregates.size > 0 || relations.viewRules.sharedTables.size > 0;
  const upkeep = isFollowed || quotas !== null ? upkeepOf(services) : null;
  const user = { userId: request.principal.userId, part: blobViewOf(context) };
  const unit = new UnitOfWork(transaction, user, slices, upkeep);
  for (const blob of newBlobs) unit.blobs.addNew(blob);
  const done = await new SetRun(plan, context, unit).apply(ifInState);
  const createdIds = idsOfCreated(plan, done);
  await context.hooks?.beforeCommit(unit);
  if (slices.isOver()) await slices.next();
  await unit.record();
  if (slices.isOver()) await slices.next();
  const { response, followUps = [] } = respond(await withStateOfView(done, plan, context, unit));
  const how = { createdIds, followUps, slices, transaction };
  const answer = await context.admit(response, how);
  return { answer, unit };
}

/** Returns the response with the new state of the user's view, where it has one of its own. */
async function withStateOfView(
  response: SetResponse,
  { index: { type }, author }: SetPlan,
  context: CallContext,
  { transaction }: UnitOfWork,
): Promise<SetResponse> {
  const view = author === 'client' ? stateViewOf(context, type) : null;
  if (view === null) return response;
  const number = await transaction.viewNumber(type, view);
  return { ...response, newState: formatStateOf(number, view) };
}

/** Each create has either come to be or is told as one that has not. */
function idsOfCreated({ createdIds }: SetPlan, { notCreated = null }: SetResponse): CreatedIds {
  if (notCreated === null) return createdIds.own;
  return [...createdIds.own].filter(([key]) => !Object.hasOwn(notCreated, key));
}

/** More are worth a read of their own. */
const FEW = 8;

/**
 * Returns the options of the transaction: a call with hooks that wait for other things has it to
 * itself.
 */
export function writeOptions(
  type: DataTypeDefinition,
  context: CallContext,
  updates: readonly Target[] = [],
  isLong = false,
): CallOptions {
  const { deadline, services } = context;
  if (services.hooks?.isExclusive(type) === true) return { deadline, exclusive: true };
  if (isLong) return { deadline, isLong };
  if (updates.length === 0 || updates.length > FEW) return { deadline };
  // A creation id's object is most often of the same call.
  const ids = updates.filter(({ key, id }) => key === id).map(({ id }) => id);
  return { deadline, expects: { type, ids } };
}

/** Runs a Foo/set inside a transaction that is open: `tx.set` of hooks. */
export async function setWithin(
  type: DataTypeDefinition,
  args: SetArguments,
  context: CallContext,
  unit: UnitOfWork,
): Promise<SetResponse> {
  const planned = finish(planSet(indexOf(type), args, sceneOf(context, undefined, 'hook')));
  const plan = await sealSecrets(planned, context);
  return new SetRun(plan, context, unit).apply(null);
}

/** Returns the parts of a call that the plan of a /set or a /copy needs. */
export function sceneOf(
  { request, services }: CallContext,
  sent?: SentEntries,
  author: Author = 'client',
): PlanScene {
  const { limits, ids } = services;
  return { createdIds: request.createdIds, maximum: limits.maxObjectsInSet, ids, author, sent };
}
