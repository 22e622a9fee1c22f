import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Key } from '../store/write.js';
import { takeObjects, textsOf } from '../sync/pull.js';
import { answerOf, type CallAnswer } from '../sync/wire.js';
import type { Invocation, Response } from '../transport/transport.js';

/**
 * A list that the server decides. The client has the first of its ids, in order, and windows
 * further back. Never changed: each step gives another one.
 */
export interface ServerList {
  /** Names its calls within a request. */
  readonly name: string;
  readonly type: string;
  /** Filter, sort and further arguments of /query and /queryChanges (RFC 8620 5.5, 5.6). */
  readonly search: JsonObject;
  /** How many ids are wanted from the first one on. */
  readonly length: number;
  /** The first ids as the server has them at `queryState`. */
  readonly ids: readonly string[];
  /** Null: they are asked for anew. */
  readonly queryState: string | null;
  /** The server can tell what changes of this list. */
  readonly hasChanges: boolean;
  readonly total: number | null;
  readonly windows: readonly ListWindow[];
  /** The ids to show: the ones of before, until a list that is asked for anew is there. */
  readonly shown: readonly string[];
  /** `ids` will take the place of `shown`. */
  readonly isReplacing: boolean;
  /** Objects with writes that are answered and that no answer about the list has covered yet. */
  readonly answered: ReadonlySet<Key>;
}

/** A part of a list that doesn't begin with its first id. */
export interface ListWindow {
  readonly position: number;
  readonly length: number;
  readonly ids: readonly string[];
  /** The state of the list in which these are its ids; null before they are there. */
  readonly queryState: string | null;
}

export interface ListOptions {
  readonly accountId: string;
  /** Ids that one page may have. */
  readonly maxObjectsInGet: number;
  /** Asks for the objects of new ids, too. */
  readonly hasObjects: boolean;
}

export interface ListResult {
  readonly list: ServerList;
  /** `goes on`: the next request should follow at once. */
  readonly progress: 'done' | 'goes on' | 'failed';
  /** The objects that came along; null: gone. */
  readonly objects: ReadonlyMap<string, JsonObject | null>;
  /** The type of the error of a failed call. */
  readonly error?: string;
}

/** Errors after which the list is asked for anew (RFC 8620 5.6). */
const LOST = ['cannotCalculateChanges', 'tooManyChanges'];
/** Changes that are always worth more than the list anew. */
const LEAST_CHANGES = 250;
/** Ids beyond the wanted ones that a list keeps: what goes is then replaced without a request. */
const SPARE = 250;

/** Returns a list of which nothing is known yet. */
export function openList(
  options: Pick<ServerList, 'name' | 'type' | 'search' | 'length'>,
): ServerList {
  return {
    ...options,
    ...{ ids: [], queryState: null, hasChanges: true, total: null, windows: [], shown: [] },
    ...{ isReplacing: true, answered: new Set() },
  };
}

/** Returns the list with another number of ids wanted. */
export function resizeList(list: ServerList, length: number): ServerList {
  return showList({ ...list, length });
}

/** Returns the list with a window at each of these places. */
export function placeWindows(
  list: ServerList,
  places: readonly Pick<ListWindow, 'position' | 'length'>[],
): ServerList {
  const windows = places.map(
    (place) =>
      list.windows.find(
        ({ position, length }) => position === place.position && length === place.length,
      ) ?? { ...place, ids: [], queryState: null },
  );
  return { ...list, windows };
}

/**
 * Returns the calls that bring a list up to date, and the pages that it lacks. In a request they
 * stand behind the calls of /set, whose effects they then tell.
 */
export function listCalls(list: ServerList, options: ListOptions): readonly Invocation[] {
  const { name, type, search, queryState, ids, total } = list;
  const { accountId, maxObjectsInGet, hasObjects } = options;
  const calls: Invocation[] = [];
  const addGet = (resultOf: string, method: string, path: string): void => {
    if (!hasObjects) return;
    const reference = { resultOf, name: `${type}/${method}`, path };
    calls.push([`${type}/get`, { accountId, '#ids': reference }, `${resultOf}.get`]);
  };
  const common = { accountId, ...search, calculateTotal: true };
  if (isTold(list)) {
    const maxChanges = Math.max(LEAST_CHANGES, 2 * ids.length);
    // Windows lie behind the first ids, and the end of a list that is known is of interest, too.
    const isBounded = list.windows.length === 0 && ids.length < (total ?? 0);
    const bound = isBounded ? { upToId: ids.at(-1) ?? null } : {};
    const args = { ...common, sinceQueryState: queryState, maxChanges, ...bound };
    calls.push([`${type}/queryChanges`, args, `${name}.changes`]);
    addGet(`${name}.changes`, 'queryChanges', '/added/*/id');
  }
  for (const { id, position, length } of findPages(list)) {
    const limit = Math.min(length, maxObjectsInGet);
    calls.push([`${type}/query`, { ...common, position, limit }, id]);
    addGet(id, 'query', '/ids');
  }
  return calls;
}

/**
 * Reads the answers to the calls of a list. `answered` has the keys of the objects whose writes the
 * same response answers.
 */
export function readList(
  list: ServerList,
  response: Response,
  answered: Iterable<Key> = [],
): ListResult {
  const objects = new Map<string, JsonObject | null>();
  const read = (id: string): CallAnswer => {
    const got = answerOf(response, `${id}.get`);
    if (!got.isError) takeObjects(got.args, objects);
    return answerOf(response, id);
  };
  let next: ServerList = { ...list, answered: new Set([...list.answered, ...answered]) };
  if (isTold(list)) {
    const changes = read(`${list.name}.changes`);
    if (changes.isError && !LOST.includes(changes.type))
      return { list: next, progress: 'failed', objects, error: changes.type };
    next = changes.isError ? loseList(next) : applyChanges(next, changes.args);
  }
  for (const page of findPages(list)) {
    const answer = read(page.id);
    if (answer.isError) return { list: next, progress: 'failed', objects, error: answer.type };
    next =
      page.window === null
        ? takePage(next, page, answer.args)
        : takeWindow(next, page, answer.args);
  }
  next = showList(next);
  const isDone = isFilled(next) && next.windows.every((one) => isCurrent(next, one));
  return { list: next, progress: isDone ? 'done' : 'goes on', objects };
}

/** A page that a list asks for. */
interface Page {
  readonly id: string;
  readonly position: number;
  readonly length: number;
  /** The list begins anew with it. */
  readonly isAnew: boolean;
  /** Null: the page is one of the first ids. */
  readonly window: ListWindow | null;
}

function findPages(list: ServerList): readonly Page[] {
  const { name, length, ids, queryState, hasChanges } = list;
  const pages: Page[] = [];
  const isAnew = queryState === null || (!hasChanges && isFilled(list));
  if (isAnew || !isFilled(list)) {
    const position = isAnew ? 0 : ids.length;
    const page = { position, length: length - position, isAnew, window: null };
    pages.push({ ...page, id: `${name}.ids` });
  }
  for (const [index, window] of list.windows.entries()) {
    if (isCurrent(list, window)) continue;
    const { position, length } = window;
    pages.push({ id: `${name}.${index}`, position, length, isAnew: false, window });
  }
  return pages;
}

/** Returns whether the server tells what has changed of a list. */
function isTold({ queryState, hasChanges }: ServerList): boolean {
  return queryState !== null && hasChanges;
}

function isFilled({ ids, queryState, length, total }: ServerList): boolean {
  return queryState !== null && ids.length >= Math.min(length, total ?? length);
}

function isCurrent({ queryState }: ServerList, window: ListWindow): boolean {
  return window.queryState === queryState;
}

function loseList(list: ServerList): ServerList {
  return { ...list, queryState: null, isReplacing: true };
}

/** Applies an answer to /queryChanges (RFC 8620 5.6). */
function applyChanges(list: ServerList, args: JsonObject): ServerList {
  const removed = textsOf(args['removed']);
  const added = readAdded(args['added']);
  const queryState = String(args['newQueryState']);
  const isSame = removed.length === 0 && added.length === 0;
  return {
    ...list,
    ids: spliceIds(list.ids, removed, added).slice(0, list.length + SPARE),
    queryState,
    total: readTotal(args),
    // Any change may have moved them.
    windows: isSame
      ? list.windows.map((one) => (isCurrent(list, one) ? { ...one, queryState } : one))
      : list.windows,
    answered: new Set(),
  };
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

/** Takes a page of the first ids. One of another state is put aside: it is asked for again. */
function takePage(list: ServerList, { position, isAnew }: Page, args: JsonObject): ServerList {
  const ids = textsOf(args['ids']);
  const queryState = String(args['queryState']);
  const total = readTotal(args);
  if (isAnew) {
    const hasChanges = args['canCalculateChanges'] !== false;
    return { ...list, ids, queryState, total, hasChanges, isReplacing: true, answered: new Set() };
  }
  if (queryState !== list.queryState) return list.hasChanges ? list : loseList(list);
  if (position > list.ids.length || position + ids.length < list.ids.length) return list;
  const joined = [...list.ids.slice(0, position), ...ids];
  // A server that has no more ids than it said would be asked for ever.
  return { ...list, ids: joined, total: ids.length === 0 ? joined.length : total };
}

function takeWindow(list: ServerList, { window }: Page, args: JsonObject): ServerList {
  const queryState = String(args['queryState']);
  if (queryState !== list.queryState) return list;
  const taken = { ids: textsOf(args['ids']), queryState };
  const windows = list.windows.map((one) => (one === window ? { ...one, ...taken } : one));
  return { ...list, windows };
}

function readTotal({ total }: JsonObject): number | null {
  return typeof total === 'number' ? total : null;
}

function showList(list: ServerList): ServerList {
  const { ids, length, shown, isReplacing } = list;
  const isWaiting = isReplacing && !isFilled(list) && shown.length > 0;
  if (isWaiting) return list;
  return { ...list, shown: ids.slice(0, length), isReplacing: isReplacing && !isFilled(list) };
}
