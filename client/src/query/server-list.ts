import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import { type ListSearch, loseList, type ServerList } from '../store/list-state.js';
import type { Key } from '../store/write.js';
import { takeObjects, textsOf } from '../sync/pull.js';
import { answerOf, type CallAnswer } from '../sync/wire.js';
import type { Invocation, Response } from '../transport/transport.js';

export interface ListOptions {
  readonly accountId: string;
  /** Ids that one page may have. */
  readonly maxObjectsInGet: number;
  /** Asks for the objects of new ids, too. */
  readonly hasObjects: boolean;
  /** Names the calls of the list within a request. */
  readonly callId: string;
}

export interface ListResult {
  readonly list: ServerList;
  /** `goes on`: the next request should follow at once. */
  readonly progress: 'done' | 'goes on' | 'failed';
  /** The objects that came along; null: gone. */
  readonly objects: ReadonlyMap<string, JsonObject | null>;
  /** The state of the objects; null: they are of several, or there are none. */
  readonly state: string | null;
  /** The type of the error of a failed call. */
  readonly error?: string;
}

/** Errors after which the list is asked for anew (RFC 8620 5.6). A server may have no changes. */
const LOST = ['cannotCalculateChanges', 'tooManyChanges', 'unknownMethod'];
/** Changes that are always worth more than the list anew. */
const LEAST_CHANGES = 250;
/** Ids beyond the wanted ones that a list keeps: what goes is then replaced without a request. */
const SPARE = 250;

/** Returns a list of which nothing is known yet. */
export function openList(search: ListSearch): ServerList {
  return {
    ...search,
    ...{ ids: [], queryState: null, hasChanges: true, total: null, shown: [] },
    ...{ isReplacing: true, answered: [] },
  };
}

/** Returns the list with further objects whose writes are answered. */
export function noteAnswered(list: ServerList, keys: Iterable<Key>): ServerList {
  return { ...list, answered: [...new Set([...list.answered, ...keys])] };
}

/**
 * Returns the calls that bring a list up to date, and the page that it lacks. In a request they
 * stand behind the calls of /set, whose effects they then tell.
 */
export function listCalls(list: ServerList, options: ListOptions): readonly Invocation[] {
  const { type, search, queryState, ids, total } = list;
  const { accountId, maxObjectsInGet, hasObjects, callId } = options;
  const calls: Invocation[] = [];
  const addGet = (resultOf: string, method: string, path: string): void => {
    if (!hasObjects) return;
    const reference = { resultOf, name: `${type}/${method}`, path };
    calls.push([`${type}/get`, { accountId, '#ids': reference }, `${resultOf}.get`]);
  };
  const common = { accountId, ...search, calculateTotal: true };
  if (isTold(list)) {
    const maxChanges = Math.max(LEAST_CHANGES, 2 * ids.length);
    // The end of a list that is known is of interest, too.
    const bound = ids.length < (total ?? 0) ? { upToId: ids.at(-1) ?? null } : {};
    const args = { ...common, sinceQueryState: queryState, maxChanges, ...bound };
    calls.push([`${type}/queryChanges`, args, `${callId}.changes`]);
    addGet(`${callId}.changes`, 'queryChanges', '/added/*/id');
  }
  const page = findPage(list);
  if (page !== null) {
    const limit = Math.min(page.length, maxObjectsInGet);
    const position = list.position + page.start;
    calls.push([`${type}/query`, { ...common, position, limit }, `${callId}.ids`]);
    addGet(`${callId}.ids`, 'query', '/ids');
  }
  return calls;
}

/** Reads the answers to the calls of a list. */
export function readList(list: ServerList, callId: string, response: Response): ListResult {
  const objects = new Map<string, JsonObject | null>();
  const states = new Set<string>();
  const read = (id: string): CallAnswer => {
    const got = answerOf(response, `${id}.get`);
    if (!got.isError) {
      takeObjects(got.args, objects);
      states.add(String(got.args['state']));
    }
    return answerOf(response, id);
  };
  const end = (list: ServerList, progress: ListResult['progress'], error?: string): ListResult => {
    const [state = null] = states.size === 1 ? states : [];
    return { list, progress, objects, state, ...(error !== undefined && { error }) };
  };
  let next = list;
  if (isTold(list)) {
    const changes = read(`${callId}.changes`);
    if (changes.isError && !LOST.includes(changes.type)) return end(list, 'failed', changes.type);
    next = changes.isError ? loseList(list) : applyChanges(list, changes.args);
  }
  const page = findPage(list);
  if (page !== null) {
    const answer = read(`${callId}.ids`);
    if (answer.isError) return end(next, 'failed', answer.type);
    next = takePage(next, page, answer.args);
  }
  next = showList(next);
  return end(next, isFilled(next) ? 'done' : 'goes on');
}

/** A page that a list asks for. */
interface Page {
  /** The place of its first id among the ids of the list. */
  readonly start: number;
  readonly length: number;
  /** The list begins anew with it. */
  readonly isAnew: boolean;
}

function findPage(list: ServerList): Page | null {
  const { length, ids, queryState, hasChanges } = list;
  const isAnew = queryState === null || (!hasChanges && isFilled(list));
  if (!isAnew && isFilled(list)) return null;
  const start = isAnew ? 0 : ids.length;
  return { start, length: length - start, isAnew };
}

/** Returns whether the server tells what has changed of a list. */
function isTold({ queryState, hasChanges }: ServerList): boolean {
  return queryState !== null && hasChanges;
}

/** Returns whether a list has all ids that it can have. */
function isFilled({ ids, queryState, position, length, total }: ServerList): boolean {
  const most = total === null ? length : Math.min(length, Math.max(0, total - position));
  return queryState !== null && ids.length >= most;
}

/** Applies an answer to /queryChanges (RFC 8620 5.6). */
function applyChanges(list: ServerList, args: JsonObject): ServerList {
  const removed = textsOf(args['removed']);
  const added = readAdded(args['added']);
  const ids = spliceIds(list.ids, removed, added);
  // Without a number of the server's, the end stays where it was.
  const total = readTotal(args) ?? (list.ids.length === list.total ? ids.length : null);
  const queryState = String(args['newQueryState']);
  return { ...list, ids: ids.slice(0, list.length + SPARE), queryState, total };
}

interface Added {
  readonly id: string;
  readonly index: number;
}

function readAdded(value: JsonValue | undefined): readonly Added[] {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return items.filter(isJsonObject) as unknown as readonly Added[];
}

/** Takes ids out of the first ids of a list, and puts others in as far as these reach. */
export function spliceIds(
  ids: readonly string[],
  removed: readonly string[],
  added: readonly Added[],
): readonly string[] {
  const gone = new Set(removed);
  const kept = ids.filter((id) => !gone.has(id));
  const spliced: string[] = [];
  let next = 0;
  for (const { id, index } of [...added].sort((one, other) => one.index - other.index)) {
    const end = next + index - spliced.length;
    // The ids in front of it are not all known.
    if (end > kept.length) break;
    for (; next < end; next += 1) spliced.push(kept[next] as string);
    spliced.push(id);
  }
  return [...spliced, ...kept.slice(next)];
}

/** Takes a page of ids. One of another state is put aside: it is asked for again. */
function takePage(list: ServerList, { start, isAnew }: Page, args: JsonObject): ServerList {
  const ids = textsOf(args['ids']);
  const queryState = String(args['queryState']);
  const total = readTotal(args);
  if (isAnew) {
    // Changes before a list that lies further back move it.
    const hasChanges = args['canCalculateChanges'] !== false && list.position === 0;
    return { ...list, ids, queryState, total, hasChanges, isReplacing: true };
  }
  if (queryState !== list.queryState) return list.hasChanges ? list : loseList(list);
  if (start > list.ids.length || start + ids.length < list.ids.length) return list;
  const joined = [...list.ids.slice(0, start), ...ids];
  // A server that has no more ids than it said would be asked for ever.
  return { ...list, ids: joined, total: ids.length === 0 ? list.position + start : total };
}

function readTotal({ total }: JsonObject): number | null {
  return typeof total === 'number' ? total : null;
}

function showList(list: ServerList): ServerList {
  const { ids, length, shown, isReplacing, queryState } = list;
  const isWaiting = isReplacing && !isFilled(list) && shown.length > 0;
  if (isWaiting || queryState === null) return list;
  return {
    ...list,
    shown: ids.slice(0, length),
    isReplacing: isReplacing && !isFilled(list),
    // The ids are newer than all writes that are answered; those to come may have their objects.
    answered: isFilled(list) ? [] : list.answered,
  };
}
