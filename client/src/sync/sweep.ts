import type { JsonObject } from '../../../src/protocol/json.js';
import type { Invocation, Response } from '../transport/transport.js';
import { takeObjects, textsOf } from './pull.js';
import { answerOf, type CallAnswer } from './wire.js';

/** Reads all objects of a type, a page at a time, in an order that writes don't change. */
export interface Sweep {
  readonly type: string;
  /** Where the ids come from: /query, the ids themselves; null: all objects come at once. */
  readonly source: 'query' | readonly string[] | null;
  /** A state of before the first page: what changes behind it is told by /changes. */
  readonly from: string | null;
  /** The last id of the pages before; null at the begin. */
  readonly anchor: string | null;
  /** The ids of the objects of each page. */
  readonly seen: readonly (readonly string[])[];
}

export type SweepResult =
  | { readonly kind: 'failed'; readonly error: string }
  | {
      readonly kind: 'page';
      readonly objects: ReadonlyMap<string, JsonObject | null>;
      /** They are newer than the state from which /changes will tell of them. */
      readonly areEarly: boolean;
      readonly sweep: Sweep;
      readonly isLast: boolean;
      /** How many objects there are, where the server tells. */
      readonly total: number | null;
    };

export function startSweep(type: string, source: Sweep['source']): Sweep {
  return { type, source, from: null, anchor: null, seen: [] };
}

/** Returns the calls of the next page. */
export function sweepCalls(sweep: Sweep, accountId: string, limit: number): readonly Invocation[] {
  const { type, anchor, source } = sweep;
  const get = `${type}.page`;
  if (source !== 'query')
    return [[`${type}/get`, { accountId, ids: source?.slice(0, limit) ?? null }, get]];
  const query = `${type}.ids`;
  const place = anchor === null ? { position: 0 } : { anchor, anchorOffset: 1 };
  // Objects that are made between /query and /get are told since a state of before both.
  const from: Invocation = [`${type}/get`, { accountId, ids: [] }, `${type}.from`];
  return [
    ...(sweep.from === null ? [from] : []),
    [`${type}/query`, { accountId, ...place, limit, calculateTotal: true }, query],
    [
      `${type}/get`,
      { accountId, '#ids': { resultOf: query, name: `${type}/query`, path: '/ids' } },
      get,
    ],
  ];
}

/** Reads the answers of a page. */
export function readSweep(sweep: Sweep, limit: number, response: Response): SweepResult {
  const { type, source } = sweep;
  const query = source === 'query' ? answerOf(response, `${type}.ids`) : null;
  // The object that the page before ended with has gone: its place is lost.
  if (query?.isError === true && query.type === 'anchorNotFound')
    return {
      ...{ kind: 'page', objects: new Map(), areEarly: false, isLast: false, total: null },
      sweep: startSweep(type, source),
    };
  if (query?.isError === true) return { kind: 'failed', error: query.type };
  const page = answerOf(response, `${type}.page`);
  if (page.isError) return { kind: 'failed', error: page.type };
  const first =
    source === 'query' && sweep.from === null ? answerOf(response, `${type}.from`) : page;
  if (first.isError) return { kind: 'failed', error: first.type };
  const objects = new Map<string, JsonObject | null>();
  takeObjects(page.args, objects);
  const ids = query === null ? [...objects.keys()] : textsOf(query.args['ids']);
  const rest = Array.isArray(source) ? source.slice(limit) : source;
  const next: Sweep = {
    ...{ type, source: rest as Sweep['source'] },
    from: sweep.from ?? String(first.args['state']),
    anchor: ids.at(-1) ?? sweep.anchor,
    seen: [...sweep.seen, [...objects.keys()]],
  };
  const isLast = query === null ? !rest?.length : isLastPage(query, ids);
  const areEarly = next.from !== page.args['state'];
  return { kind: 'page', objects, areEarly, sweep: next, isLast, total: readTotal(query) };
}

/** The server may answer fewer ids than it was asked for, without a word (RFC 8620 5.5). */
function isLastPage({ args }: CallAnswer, ids: readonly string[]): boolean {
  const { position, total } = args;
  if (ids.length === 0) return true;
  return typeof position === 'number' && typeof total === 'number'
    ? position + ids.length >= total
    : false;
}

function readTotal(query: CallAnswer | null): number | null {
  const total = query?.args['total'];
  return typeof total === 'number' ? total : null;
}
