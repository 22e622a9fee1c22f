import { ServerResponse } from 'node:http';
import type { Principal } from '../../accounts/principal.js';
import type { HeldAnswer } from '../answer-budget.js';
import type { EdgeRequest } from './edge-request.js';
import { USES_INTERNALS } from './node-internals.js';
import { type Route, UNKNOWN_ROUTE } from './routes.js';

/** Headers that many answers begin with: names and values in turn, and the same as text, each line with its end. */
export interface SharedHead {
  /** Security headers. */
  readonly fixed: readonly string[];
  readonly cors: readonly string[];
  readonly fixedLines: string;
  /** Of an answer of 200: its status line, the fixed lines, and the request id's name. */
  readonly openingLines: string;
  readonly corsLines: string;
}

const NO_HEAD: SharedHead = Object.freeze({
  fixed: [],
  cors: [],
  fixedLines: '',
  openingLines: '',
  corsLines: '',
});

/** What changes of a server while it answers. */
export interface ServerState {
  isStopping: boolean;
  /** How long a connection may be idle, ms. */
  readonly keepAlive: number;
  /** Of Node (node-internals.ts). */
  readonly usesInternals: boolean;
}

const RUNNING: ServerState = Object.freeze({
  isStopping: false,
  keepAlive: 0,
  usesInternals: false,
});

/**
 * A response with what the edge function found out about its request. Fields rather than a map beside it: they
 * survive Express, which swaps a response's prototype, and cost nothing on the hot path.
 */
export class EdgeResponse extends ServerResponse<EdgeRequest> {
  requestId = '';
  /** `performance.now()` at the request's arrival. */
  startedAt = 0;
  route: Route = UNKNOWN_ROUTE;
  principal: Principal | null = null;
  /** What every answer begins with, the request id apart: `edgeHeaders` has it all. */
  sharedHead: SharedHead = NO_HEAD;
  /** Of the server that it is an answer of. */
  server: ServerState = RUNNING;
  /** The memory for answers that its calls hold. */
  held: HeldAnswer | null = null;
  /** Header lines that go in front of those of `writeHead` as they are. */
  preface = '';
  /** The connection ends behind this answer. */
  isLast = false;
  /** Whether all of it has left, where it was sent past Node, which doesn't know that; else null. */
  isSent: boolean | null = null;

  belongTo(server: ServerState): void {
    this.server = server;
    // Node tells clients how long a connection is kept, where it has a timer for it: not here.
    if (server.usesInternals) {
      (this as { _keepAliveTimeout?: number })._keepAliveTimeout = server.keepAlive;
    }
  }
}

/**
 * Whether an answer has to say `Connection: close`. No method: Express swaps the response's
 * prototype.
 */
export function endsConnection(res: EdgeResponse): boolean {
  return res.isLast || res.server.isStopping;
}

type StoreHeader = (this: EdgeResponse, firstLine: string, headers: unknown) => void;

// Node looks at each name and value of each answer, which for headers that are always the same costs a third of a
// small request. What it composes the head from begins with the status line, so they go in behind that, as text.
const { prototype } = EdgeResponse as { prototype: { _storeHeader?: StoreHeader } };
const storeHeader = prototype._storeHeader;
if (USES_INTERNALS && storeHeader !== undefined) {
  prototype._storeHeader = function (firstLine, headers): void {
    storeHeader.call(this, firstLine + this.preface, headers);
  };
}
