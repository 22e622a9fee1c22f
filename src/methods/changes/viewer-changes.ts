import {
  BeyondReachError,
  readViewChanges,
  type ViewAnswer,
  type ViewLimits,
  type ViewQuestion,
} from '../../access/read-view.js';
import type { Moment } from '../../access/view-changes.js';
import { formatViewState } from '../../access/views.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { ChangesArguments, ChangesResponse } from '../../capability/standard.js';
import type { ChangeKind, ScopedChange, Snapshot, View } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { Answer, CallContext, Services } from '../context.js';
import { cannotCalculate, requireKept, requireReached } from '../states.js';
import { indexOf } from '../type-index.js';
import { parseViewState } from '../view-of-call.js';
import { MAX_RECORDS, pageOf, updatedProperties } from './changes-page.js';

/**
 * Answers the /changes of a type for a user who sees a part of its objects, or who has values of
 * its own there.
 */
export async function answerViewerChanges(
  args: ChangesArguments,
  context: CallContext,
  { type, view }: { readonly type: DataTypeDefinition; readonly view: View },
): Promise<Answer> {
  const { services, deadline } = context;
  const { id: accountId } = accountOf(context);
  const since = parseViewState(args.sinceState, view);
  if (since === null) {
    cannotCalculate('"sinceState" is no state that this server has issued to you.', {
      code: 'notAState',
    });
  }
  const options = { deadline, mayScan: true };
  const response = await services.store.read(accountId, options, async (snapshot) => {
    const reached = await snapshot.viewNumber(type, view);
    requireReached('sinceState', { since: since.number, current: reached });
    const question = { type, view, since, reached };
    const { found, end } = await readPage(snapshot, question, args.maxChanges ?? null, services);
    const isAll = end.upTo === undefined && end.number >= reached;
    const { created, updated, destroyed } = pageOf(end.number, found?.kinds ?? NONE);
    const isKnown = found !== null && !found.isMoved && !mayMoveRights(type, found);
    return {
      accountId,
      oldState: args.sinceState,
      newState: formatViewState(isAll ? { number: reached } : end, view),
      hasMoreChanges: !isAll,
      ...{ created, updated, destroyed },
      updatedProperties: isKnown
        ? updatedProperties(indexOf(type), changesIn(found), { end: end.number, updated })
        : null,
    };
  });
  return context.admit<ChangesResponse>(response);
}

const NONE: ReadonlyMap<string, ChangeKind> = new Map();

/** Change records that a page begins with; more where it names nothing yet. */
const FIRST_RECORDS = 500;
/** How often one page goes on over records that don't concern the view. */
const MAX_ROUNDS = 20;

/**
 * Reads a page of changes, and how far it goes. It passes over records that don't concern the view.
 * `found` is null where there is nothing new.
 */
async function readPage(
  snapshot: Snapshot,
  { reached, ...question }: Omit<ViewQuestion, 'current'> & { readonly reached: number },
  maximum: number | null,
  services: Services,
): Promise<{ readonly found: ViewAnswer | null; readonly end: Moment }> {
  const objects = maximum ?? MAX_RECORDS;
  const reach = services.limits.queryChangesMax;
  let records = Math.min(MAX_RECORDS, Math.max(FIRST_RECORDS, objects));
  let end = question.since;
  let found: ViewAnswer | null = null;
  for (let round = 0; end.upTo !== undefined || end.number < reached; round += 1) {
    const limits = { records, objects, reach };
    found = await readSince(snapshot, { ...question, since: end }, limits, services);
    end = found.end ?? end;
    if (found.end === null || found.kinds.size > 0 || round === MAX_ROUNDS) break;
    records = MAX_RECORDS;
  }
  return { found, end };
}

/** Returns whether rights at objects may have changed without any change of their properties. */
function mayMoveRights({ share }: DataTypeDefinition, { records }: ViewAnswer): boolean {
  if (share === undefined) return false;
  return records.some((record) => record.kind === 'updated' && record.scopesBefore !== null);
}

function changesIn({ records }: ViewAnswer): readonly ScopedChange[] {
  return records.filter((record) => record.kind !== 'access');
}

/** Reads the changes of a view, and refuses a state whose records are gone. */
export async function readSince(
  snapshot: Snapshot,
  question: Omit<ViewQuestion, 'current'>,
  limits: ViewLimits,
  services: Services,
): Promise<ViewAnswer> {
  const { type, view, since } = question;
  const current = await snapshot.stateNumber(type);
  const before = since.upTo === undefined ? since.number : since.number - 1;
  const found = await readViewChanges(snapshot, { ...question, current }, limits).catch(
    (error: unknown) => {
      if (!(error instanceof BeyondReachError)) throw error;
      const { message, maximum } = error;
      return cannotCalculate(message, { code: 'tooManyChanged', since: before, current, maximum });
    },
  );
  const isGap = (found.records[0]?.number ?? current + 1) > before + 1;
  const pruned = isGap ? await snapshot.prunedNumber(type, view, found.allMoved) : 0;
  requireKept(found.records, { since: before, current, pruned }, services);
  return found;
}
