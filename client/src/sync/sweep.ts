import type { JsonObject } from '../../../src/protocol/json.js';
import type { Invocation, Response } from '../transport/transport.js';
import { takeObjects, textsOf } from './pull.js';
import { answerOf, type CallAnswer } from './wire.js';

/** Reads all objects of a type, a page at a time, in an order that writes don't change. */
export interface Sweep {
  readonly type: string;
  /** The type has /query; without it, all of its objects come at once. */
  readonly hasQuery: boolean;
  /** The state of the first page: what changes behind it is told by /changes. */
  readonly from: string | null;
  /** The last id of the pages before; null at the begin. */
  readonly anchor: string | null;
  readonly seen: ReadonlySet<string>;
}

export type SweepResult =
  | { readonly kind: 'failed'; readonly error: string }
  | {
      readonly kind: 'page';
      readonly objects: ReadonlyMap<string, JsonObject | null>;
      readonly sweep: Sweep;
      readonly isLast: boolean;
    };

export function startSweep(type: string, hasQuery: boolean): Sweep {
  return { type, hasQuery, from: null, anchor: null, seen: new Set() };
}

/** Returns the calls of the next page. */
export function sweepCalls(sweep: Sweep, accountId: string, limit: number): readonly Invocation[] {
  const { type, anchor } = sweep;
  const get = `${type}.page`;
  if (!sweep.hasQuery) return [[`${type}/get`, { accountId, ids: null }, get]];
  const query = `${type}.ids`;
  const place = anchor === null ? { position: 0 } : { anchor, anchorOffset: 1 };
  return [
    [`${type}/query`, { accountId, ...place, limit }, query],
    [
      `${type}/get`,
      { accountId, '#ids': { resultOf: query, name: `${type}/query`, path: '/ids' } },
      get,
    ],
  ];
}

/** Reads the answers of a page. */
export function readSweep(sweep: Sweep, limit: number, response: Response): SweepResult {
  const { type, hasQuery } = sweep;
  const query = hasQuery ? answerOf(response, `${type}.ids`) : null;
  // The object that the page before ended with has gone: its place is lost.
  if (query?.isError === true && query.type === 'anchorNotFound')
    return {
      kind: 'page',
      objects: new Map(),
      sweep: { ...sweep, anchor: null, seen: new Set(), from: null },
      isLast: false,
    };
  if (query?.isError === true) return { kind: 'failed', error: query.type };
  const page = answerOf(response, `${type}.page`);
  if (page.isError) return { kind: 'failed', error: page.type };
  const objects = new Map<string, JsonObject | null>();
  takeObjects(page.args, objects);
  const ids = query === null ? [...objects.keys()] : textsOf(query.args['ids']);
  const next: Sweep = {
    ...sweep,
    from: sweep.from ?? String(page.args['state']),
    anchor: ids.at(-1) ?? sweep.anchor,
    seen: new Set([...sweep.seen, ...objects.keys()]),
  };
  return { kind: 'page', objects, sweep: next, isLast: ids.length < limitOf(query, limit) };
}

/** The server may answer less than it was asked for (RFC 8620 5.5). Without /query all is there. */
function limitOf(query: CallAnswer | null, limit: number): number {
  if (query === null) return Number.POSITIVE_INFINITY;
  const { limit: most } = query.args;
  return typeof most === 'number' ? Math.max(1, Math.min(most, limit)) : limit;
}
