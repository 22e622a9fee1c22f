import type { SetArguments, SetResponse } from '../../capability/standard.js';
import { isJsonObject } from '../../protocol/json.js';
import type { Transaction } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { isMany } from '../many.js';
import { formatState, requireState } from '../states.js';
import type { TypeIndex } from '../type-index.js';
import { isPlain, PlainBatch, plainType } from './plain.js';
import { requireObjects } from './plan.js';

/** A /set that does nothing but plain creates. */
export type PlainSet = (transaction: Transaction) => Promise<SetResponse>;

/** Null for any other, which is what `SetRun` is for. */
export function plainSet(
  index: TypeIndex,
  args: SetArguments,
  context: CallContext,
): PlainSet | null {
  const { create, update, destroy, ifInState } = args;
  if (!isJsonObject(create) || hasAny(update) || (destroy ?? []).length > 0) return null;
  const { hooks, ids, limits } = context.services;
  const { type } = index;
  if (hooks?.needsWholeRows(type) === true || hooks?.isExclusive(type) === true) return null;
  const plain = plainType(index);
  if (plain === null) return null;
  const keys = Object.keys(create);
  if (keys.length === 0 || isMany(keys.length) || context.request.isLong) return null;
  requireObjects(keys.length, limits.maxObjectsInSet);
  const values = Object.values(create);
  for (const value of values) if (!isPlain(plain, value)) return null;
  const batch = new PlainBatch(plain);
  for (const [at, value] of values.entries()) {
    if (isJsonObject(value)) batch.add(keys[at] ?? '', value, ids.next('r'));
  }
  return async (transaction) => {
    context.hooks?.begin();
    const state = await transaction.stateNumber(type);
    requireState('ifInState', ifInState, state);
    await transaction.insert(type, batch.objects);
    await transaction.record(type, batch.records);
    const created = answer(batch, accountOf(context).id, state);
    const response = (await context.hooks?.complete(created, transaction)) ?? created;
    context.admit(
      response,
      batch.createdIds,
      response === created ? textOf(created, batch.text) : undefined,
    );
    return response;
  };
}

function hasAny(members: object | null | undefined): boolean {
  for (const _ in members) return true;
  return false;
}

function answer(batch: PlainBatch, accountId: string, state: number): SetResponse {
  return {
    accountId,
    oldState: formatState(state),
    newState: formatState(state + batch.objects.length),
    get created() {
      return batch.created;
    },
    updated: null,
    destroyed: null,
    notCreated: null,
    notUpdated: null,
    notDestroyed: null,
  };
}

/** What JSON.stringify makes of it, without making the objects of `created`. */
function textOf({ accountId, oldState, newState }: SetResponse, created: string): string {
  const head = `{"accountId":${JSON.stringify(accountId)},"oldState":"${oldState}","newState":"${newState}"`;
  return `${head},"created":${created},${NOTHING_ELSE}}`;
}

const NOTHING_ELSE =
  '"updated":null,"destroyed":null,"notCreated":null,"notUpdated":null,"notDestroyed":null';
