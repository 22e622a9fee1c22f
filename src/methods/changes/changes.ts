import type { DataTypeDefinition } from '../../capability/definition.js';
import type { ChangesArguments, ChangesResponse } from '../../capability/standard.js';
import type { ChangeKind, ChangeRecord, StateAndChanges } from '../../store/port.js';
import { accountOf, typeOf } from '../accounts.js';
import type { Answer, CallContext, MethodBody } from '../context.js';
import {
  cannotCalculate,
  formatState,
  parseState,
  requireReached,
  requireUnbroken,
} from '../states.js';
import { indexOf, type TypeIndex } from '../type-index.js';

/** Change records that one page looks at, at most. */
const MAX_RECORDS = 5000;

/** Answers Foo/changes (RFC 8620 5.2). */
export const changes: MethodBody<ChangesArguments> = (args, context) =>
  answerChanges(args, context, typeOf(context));

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

interface Page {
  /** The number of the last record of the page, null for no record. */
  readonly end: number | null;
  /** Ids in all three lists. */
  readonly size: number;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
}

const NOTHING: Page = { end: null, size: 0, created: [], updated: [], destroyed: [] };

/**
 * Returns the properties that alone changed in all of `updated` between the two states (RFC 8621
 * 2.2, decision 29 for every type): also those that changed and changed back. Null where nothing
 * was updated, and where some record doesn't tell. The time of the update is among them, if the
 * type has one.
 */
function updatedProperties(
  { visible, roles, type }: TypeIndex,
  records: readonly ChangeRecord[],
  page: Page,
): readonly string[] | null {
  if (page.end === null || page.updated.length === 0) return null;
  const ids = new Set(page.updated);
  const lists = new Set<ChangeRecord['properties']>();
  for (const { number, objectId, kind, properties } of records) {
    if (number > page.end) break;
    if (kind === 'updated' && ids.has(objectId)) lists.add(properties);
  }
  const changed = new Set(roles.updated === undefined ? [] : [roles.updated.name]);
  for (const list of lists) {
    if (list === null) return null;
    for (const name of list) changed.add(name);
  }
  const answered = followersOf(type, changed);
  if (answered === null) return null;
  return [...visible.map(({ name }) => name).filter((name) => changed.has(name)), ...answered];
}

/**
 * Returns the answered properties that follow one that changed. Null where a family does: a client
 * knows by which of its names it asks.
 */
function followersOf(
  { answered = [] }: DataTypeDefinition,
  changed: ReadonlySet<string>,
): readonly string[] | null {
  const following = answered.filter(({ sources }) => sources.some(({ name }) => changed.has(name)));
  const isKnown = following.every(({ parts }) => parts === undefined);
  return isKnown ? following.map(({ name }) => name) : null;
}

/**
 * Returns the longest run of records whose coalesced ids are no more than `maximum`. Records are
 * taken in order, so no later page contradicts an earlier one (5.2). At least one record fits:
 * progress is sure.
 */
export function fill(records: readonly ChangeRecord[], maximum: number): Page {
  const kinds = new Map<string, ChangeKind | null>();
  let count = 0;
  let length = 0;
  let index = 0;
  for (const { objectId, kind } of records) {
    const before = kinds.get(objectId) ?? null;
    const after = coalesce(before, kind);
    if (before === null) count += 1;
    if (after === null) count -= 1;
    kinds.set(objectId, after);
    index += 1;
    if (count <= maximum) length = index;
  }
  const end = records[length - 1]?.number ?? null;
  if (length === records.length) return page(end, kinds);
  const fewer = new Map<string, ChangeKind | null>();
  addChanges(fewer, records.slice(0, length));
  return page(end, fewer);
}

/**
 * 5.2: created and updated is created, updated and destroyed is destroyed, created and destroyed is
 * nothing.
 */
function coalesce(before: ChangeKind | null | undefined, next: ChangeKind): ChangeKind | null {
  if (before !== 'created') return next;
  return next === 'destroyed' ? null : 'created';
}

function page(end: number | null, kinds: NetChanges): Page {
  const created: string[] = [];
  const updated: string[] = [];
  const destroyed: string[] = [];
  for (const [id, kind] of kinds) {
    if (kind === 'created') created.push(id);
    else if (kind === 'updated') updated.push(id);
    else if (kind === 'destroyed') destroyed.push(id);
  }
  const size = created.length + updated.length + destroyed.length;
  return { end, size, created, updated, destroyed };
}

/** The net change of each object over a run of records; null for one that came and went. */
export type NetChanges = ReadonlyMap<string, ChangeKind | null>;

/** Goes on with what `kinds` has by the records that follow. */
export function addChanges(
  kinds: Map<string, ChangeKind | null>,
  records: readonly ChangeRecord[],
): void {
  for (const { objectId, kind } of records) {
    kinds.set(objectId, coalesce(kinds.get(objectId), kind));
  }
}
