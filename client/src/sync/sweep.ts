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
  /** Some ids before it: where it has gone, the sweep goes on behind the one before. */
  readonly earlier: readonly string[];
  /** How many objects there are, where the server tells. */
  readonly total: number | null;
}

export type SweepResult =
  | { readonly kind: 'failed'; readonly error: string }
  /** It has to begin anew. */
  | { readonly kind: 'lost' }
  /** It goes on behind another object: the last one has gone. */
  | { readonly kind: 'moved'; readonly sweep: Sweep }
  | {
      readonly kind: 'page';
      readonly objects: ReadonlyMap<string, JsonObject | null>;
      /** The state of the objects. */
      readonly state: string;
      readonly sweep: Sweep;
      readonly isLast: boolean;
    };

/** So many ids are kept from a page. */
const EARLIER = 10;

export function startSweep(type: string, source: Sweep['source']): Sweep {
  return { type, source, from: null, anchor: null, earlier: [], total: null };
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
  if (query?.isError === true && query.type === 'anchorNotFound') return moveBack(sweep);
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
    earlier: [...sweep.earlier, ...(sweep.anchor ? [sweep.anchor] : []), ...ids].slice(
      -1 - EARLIER,
      -1,
    ),
    total: readTotal(query),
  };
  const isLast = query === null ? !rest?.length : isLastPage(query, ids);
  const state = String(page.args['state']);
  return { kind: 'page', objects, state, sweep: next, isLast };
}

function moveBack(sweep: Sweep): SweepResult {
  const { earlier } = sweep;
  const anchor = earlier.at(-1);
  return anchor === undefined
    ? { kind: 'lost' }
    : { kind: 'moved', sweep: { ...sweep, anchor, earlier: earlier.slice(0, -1) } };
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
