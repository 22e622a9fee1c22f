import type { DataTypeDefinition } from '../../capability/definition.js';
import type { ChangesArguments, ChangesResponse } from '../../capability/standard.js';
import type { StateAndChanges } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import type { Answer, CallContext, MethodBody } from '../context.js';
import {
  cannotCalculate,
  formatState,
  parseState,
  requireReached,
  requireUnbroken,
} from '../states.js';
import { indexOf } from '../type-index.js';
import { knownTypeOf, stateViewOf } from '../view-of-call.js';
import { fill, MAX_RECORDS, NOTHING, updatedProperties } from './changes-page.js';
import { answerViewerChanges } from './viewer-changes.js';

/** Answers Foo/changes (RFC 8620 5.2). */
export const changes: MethodBody<ChangesArguments> = (args, context) => {
  const type = knownTypeOf(context, typeOf(context));
  const view = stateViewOf(context, type);
  return view === null
    ? answerChanges(args, context, type)
    : answerViewerChanges(args, context, { type, view });
};

/** Answers the /changes of a type from the change records that the store has. */
export async function answerChanges(
  args: ChangesArguments,
  context: CallContext,
  type: DataTypeDefinition,
): Promise<Answer> {
  const { services } = context;
  const account = accountOf(context);
  const since = parseState(args.sinceState);
  if (since === null)
    cannotCalculate('"sinceState" is no state that this server has issued.', {
      code: 'notAState',
    });
  const maximum = args.maxChanges ?? MAX_RECORDS;
  const read = (limit: number): Promise<StateAndChanges> =>
    services.store.readChanges({
      accountId: account.id,
      deadline: context.deadline,
      type,
      since,
      limit,
    });
  // A record is one id at most: so many fill the page unless some are of the same object.
  for (let limit = Math.min(maximum, MAX_RECORDS); ; limit = MAX_RECORDS) {
    const { number: current, records } = await read(limit);
    requireReached('sinceState', { since, current });
    const complete = records.length < limit;
    if (since < current) requireUnbroken(records, { since, current }, complete, services);
    const page = since < current ? fill(records, maximum) : NOTHING;
    if (limit < MAX_RECORDS && !complete && page.size < maximum) continue;
    const reached = page.end ?? since;
    return context.admit<ChangesResponse>({
      accountId: account.id,
      oldState: args.sinceState,
      newState: formatState(reached),
      hasMoreChanges: reached < current,
      created: page.created,
      updated: page.updated,
      destroyed: page.destroyed,
      updatedProperties: updatedProperties(indexOf(type), records, page),
    });
  }
}
