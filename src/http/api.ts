import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import contentType from 'content-type';
import type { Principal } from '../accounts/principal.js';
import type { Api } from '../methods/run-request.js';
import { RequestError } from '../protocol/errors.js';
import { isLongText, parseIJson, parseIJsonInSlices } from '../protocol/ijson.js';
import { tooManyRequests } from '../protocol/limits.js';
import { CHUNK } from '../protocol/response.js';
import type { AnswerBudget, Slots } from '../runtime/budgets.js';
import type { FairTurns } from '../runtime/fair-turns.js';
import { type Conductor, LONG_REQUEST } from '../runtime/slices.js';
import { admitBody, type Body, type BodyReader, readBody, refuseEncoding } from './body.js';
import { type EdgeResponse, JSON_HEADERS, send } from './edge-response.js';
import { ClientGoneError } from './reply.js';
import { writeLong } from './write-long.js';

export interface ApiEndpointOptions {
  readonly api: Api;
  /** Shared with WebSockets. */
  readonly slots: Slots;
  readonly longRequests: FairTurns;
  readonly conductor: Conductor;
  /** How long a turn is waited for, ms. */
  readonly requestTimeout: number;
  readonly maxConcurrentRequests: number;
  /** The principal of a request's credentials as they are now. */
  authenticate(req: IncomingMessage): Promise<Principal>;
  readonly reader: BodyReader;
  readonly answers: AnswerBudget;
}

/**
 * Credentials are looked at again where a body took longer to come, ms: on PostgreSQL what is known
 * of them may be a quarter of a second old as it is (D2: within a second).
 */
const FRESH = 2;

/** An empty parameter (RFC 9110 5.6.6) at the end, which the parser does not take. */
const EMPTY_PARAMETER = /;[ \t]*$/;

/** POST {base}/jmap (RFC 8620 3). */
export class ApiEndpoint {
  readonly #options: ApiEndpointOptions;
  #turnEnds: Promise<void> | null = null;

  constructor(options: ApiEndpointOptions) {
    this.#options = options;
  }

  /** Answers a request. What it rejects with becomes a problem. */
  async answer(req: IncomingMessage, res: EdgeResponse): Promise<void> {
    const { slots, reader, conductor, maxConcurrentRequests } = this.#options;
    const { principal } = res;
    if (principal === null) throw new Error('The API was reached without a user.');
    checkContentType(req.headers['content-type']);
    refuseEncoding(req);
    const { userId } = principal;
    if (!slots.take(userId)) throw tooManyRequests(maxConcurrentRequests);
    let held = 0;
    let text: string;
    try {
      admitBody(req, res, userId, reader);
      const body = await readBody(req, res, userId, reader);
      held = body.octets;
      const pieces = await this.#run(req, res, principal, body);
      if (pieces.reduce((characters, piece) => characters + piece.length, 0) > CHUNK) {
        await writeLong(res, pieces, conductor.startSlices());
        return;
      }
      text = pieces.join('');
    } finally {
      res.held?.end();
      reader.budget.release(userId, held);
      slots.release(userId);
    }
    // Where long work waits for its turn, its next slice would come before the end of this one.
    if (!conductor.isTaken) await this.#endOfTurn();
    if (!res.destroyed) send(res, 200, JSON_HEADERS, text);
  }

  /** A function of its own: what it has read can be collected while the answer is written. */
  async #run(
    req: IncomingMessage,
    res: EdgeResponse,
    principal: Principal,
    { data, octets }: Body,
  ): Promise<string[]> {
    const { api, conductor, authenticate } = this.#options;
    const { userId } = principal;
    const isLong = octets > LONG_REQUEST;
    const endTurn = isLong && isLongText(octets) ? await this.#takeTurn(userId, res) : null;
    try {
      if (isLong) await conductor.begin();
      const value = isLong
        ? await parseIJsonInSlices(data, conductor.startSlices(stopWhenGone(res)))
        : parseIJson(data);
      const current = isFresh(res) ? principal : await authenticate(req);
      const room = this.#options.answers.begin(userId);
      res.held = room;
      return await api.run(value, current, { isLong, isGone: () => res.destroyed, room });
    } finally {
      endTurn?.();
    }
  }

  /** Resolves to what ends the turn of a request that takes long to read. */
  async #takeTurn(userId: string, res: EdgeResponse): Promise<() => void> {
    const { longRequests, requestTimeout } = this.#options;
    try {
      return await longRequests.take(userId, performance.now() + requestTimeout, res);
    } catch (error) {
      throw res.destroyed ? new ClientGoneError() : error;
    }
  }

  /**
   * Answers of one turn of the event loop leave at its end, one behind the other: a write to a client
   * that sleeps takes several times as long as one to a client that the write before has woken.
   */
  #endOfTurn(): Promise<void> {
    this.#turnEnds ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turnEnds = null;
        resolve();
      });
    });
    return this.#turnEnds;
  }
}

/** Whether what is known of the credentials is as new as it was when the request came. */
function isFresh(res: EdgeResponse): boolean {
  return performance.now() - res.startedAt <= FRESH;
}

/** What takes slices is given up between two of them where nobody waits for it any more. */
function stopWhenGone(res: EdgeResponse): () => void {
  return () => {
    if (res.destroyed) throw new ClientGoneError();
  };
}

function checkContentType(value: string | undefined): void {
  if (value === 'application/json' || (value !== undefined && isJson(value))) return;
  throw new RequestError('notJSON', 'The Content-Type of a request must be application/json.');
}

/** RFC 8620 3.1: a charset parameter may say what JSON is anyway; RFC 8259 11 gives no meaning to any other. */
function isJson(value: string): boolean {
  try {
    const { type, parameters } = contentType.parse(value.replace(EMPTY_PARAMETER, ''));
    const charset = parameters['charset'] ?? 'utf-8';
    return type === 'application/json' && charset.toLowerCase() === 'utf-8';
  } catch {
    // It throws TypeError where the value is no media type.
    return false;
  }
}
