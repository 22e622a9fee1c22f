import type { DataTypeDefinition } from '../../capability/definition.js';
import type { SetArguments, SetResponse } from '../../capability/standard.js';
import { finish, runInSlices, type Steps } from '../../runtime/slices.js';
import type { CallOptions, NewBlob, Transaction } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import type { CallContext, MethodBody } from '../context.js';
import { FEW_OBJECTS } from '../long-calls.js';
import { indexOf } from '../type-index.js';
import { UnitOfWork } from '../work/unit.js';
import type { Author } from './draft.js';
import { type PlanScene, planSet, type Target } from './plan.js';
import { type PreparedSet, SetRun } from './run.js';
import { sealSecrets, UNSEALED } from './secrets.js';

/**
 * Foo/set (RFC 8620 5.3, D13): one transaction, the same number of statements for any number of
 * objects.
 */
export const set: MethodBody<SetArguments, SetResponse> = async (args, context, sent) => {
  const type = typeOf(context);
  const account = accountOf(context);
  const { services, request } = context;
  const index = indexOf(type);
  // Others wait for the transaction, so the server judges before it whatever needs no data.
  const planning = planSet(index, args, sceneOf(context));
  const plan = await runPlanning(planning, context);
  const seals = index.secrets.length === 0 ? UNSEALED : await sealSecrets(index, plan, context);
  const isLong =
    request.isLong ||
    plan.creates.length + plan.updates.length + plan.destroys.length > FEW_OBJECTS;
  const options = writeOptions(type, context, plan.updates, isLong);
  const write = { prepared: { index, plan, seals, sent }, ifInState: args.ifInState, isLong };
  const { response } = await services.store.write(account.id, options, (transaction) =>
    writeSet(write, context, transaction, (changed) => changed),
  );
  return response;
};

/** Runs at once what a short request plans. */
export function runPlanning<T>(planning: Steps<T>, context: CallContext): T | Promise<T> {
  const { isLong } = context.request;
  return isLong ? runInSlices(planning, context.startSlices()) : finish(planning);
}

/** A /set, or a /copy, that has been judged as far as that goes without a transaction. */
interface SetWrite {
  readonly prepared: PreparedSet;
  readonly ifInState: string | null | undefined;
  /** Blobs that get their rows with the objects that name them. */
  readonly newBlobs?: Iterable<NewBlob>;
  /** It takes turns with others. */
  readonly isLong: boolean;
}

interface SetWritten<T> {
  readonly response: T;
  readonly createdIds: SetRun['createdIds'];
  readonly unit: UnitOfWork;
}

/** Runs a /set or a /copy in its transaction; `respond` turns the response of a /set into the method's own. */
export async function writeSet<T extends object>(
  { prepared, ifInState, newBlobs = [], isLong }: SetWrite,
  context: CallContext,
  transaction: Transaction,
  respond: (changed: SetResponse) => T,
): Promise<SetWritten<T>> {
  const { hooks } = context;
  hooks?.begin();
  const slices = context.startSlices(true);
  if (isLong) await slices.next();
  const unit = new UnitOfWork(transaction, context.request.principal.userId, slices);
  for (const blob of newBlobs) unit.blobs.addNew(blob);
  const run = new SetRun(prepared, context, unit);
  await run.run(ifInState);
  const changed = respond(run.response());
  if (slices.isOver()) await slices.next();
  await unit.record();
  if (slices.isOver()) await slices.next();
  const response = hooks === null ? changed : await hooks.complete(changed, transaction);
  await context.admit(response, run.createdIds, slices);
  return { response, createdIds: run.createdIds, unit };
}

/** More are worth a read of their own. */
const FEW = 8;

/** A call with hooks that wait for other things has its transaction to itself. */
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
  const ids = updates.flatMap(({ key, id }) => (key === id ? [id] : []));
  return { deadline, expects: { type, ids } };
}

/** Runs a Foo/set inside a transaction that is open: `tx.set` of hooks. */
export async function setWithin(
  type: DataTypeDefinition,
  args: SetArguments,
  context: CallContext,
  unit: UnitOfWork,
): Promise<SetResponse> {
  const index = indexOf(type);
  const plan = finish(planSet(index, args, sceneOf(context, 'hook')));
  const seals = await sealSecrets(index, plan, context);
  const run = new SetRun({ index, plan, seals }, context, unit);
  await run.run(null);
  return run.response();
}

/** Returns the parts of a call that the plan of a /set or a /copy needs. */
export function sceneOf({ request, services }: CallContext, author: Author = 'client'): PlanScene {
  const { limits, ids } = services;
  return { createdIds: request.createdIds, maximum: limits.maxObjectsInSet, ids, author };
}
