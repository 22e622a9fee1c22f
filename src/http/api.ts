import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import contentType from 'content-type';
import { RequestError } from '../protocol/errors.js';
import { isLongText, parseIJsonInSlices } from '../protocol/ijson.js';
import type { JsonValue } from '../protocol/json.js';
import { tooManyRequests } from '../protocol/limits.js';
import { CHUNK } from '../protocol/response.js';
import { LONG_REQUEST } from '../runtime/slices.js';
import { authenticateRequest } from './authenticate-request.js';
import { readBody, refuseEncoding } from './body.js';
import { type EdgeResponse, JSON_HEADERS, principalOf, send } from './edge-response.js';
import { ClientGoneError } from './reply.js';
import type { Shared } from './shared.js';
import { writeLong } from './write-long.js';

/**
 * The server looks at credentials again where a body took longer than this to come, ms. A change of
 * credentials counts within a second, and a body may take many seconds.
 */
const FRESH = 2;

/** An empty parameter (RFC 9110 5.6.6) at the end, which the parser does not take. */
const EMPTY_PARAMETER = /;[ \t]*$/;

/** POST {base}/jmap (RFC 8620 3). */
export class ApiEndpoint {
  readonly #shared: Shared;
  #turnEnds: Promise<void> | null = null;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Answers a request. The edge makes a problem of the error that it rejects with. */
  async answer(req: IncomingMessage, res: EdgeResponse): Promise<void> {
    const { requests, budget, conductor, limits } = this.#shared;
    const { userId } = principalOf(res);
    checkContentType(req.headers['content-type']);
    refuseEncoding(req);
    if (!requests.take(userId)) throw tooManyRequests(limits.maxConcurrentRequests);
    let octets = 0;
    let text: string;
    try {
      const body = await readBody(req, res, this.#shared);
      octets = body.length;
      const pieces = await this.#makeAnswer(req, res, body);
      if (pieces.reduce((characters, piece) => characters + piece.length, 0) > CHUNK) {
        await writeLong(res, pieces, conductor.startSlices());
        return;
      }
      text = pieces.join('');
    } finally {
      res.room?.end();
      budget.release(userId, octets);
      requests.release(userId);
    }
    // Where long work waits for its turn, its next slice would come before the end of this one.
    if (!conductor.isActive) await this.#endOfTurn();
    if (!res.destroyed) send(res, 200, JSON_HEADERS, text);
  }

  /** Makes the answer, by itself so that the request can be collected during the write. */
  async #makeAnswer(req: IncomingMessage, res: EdgeResponse, body: Buffer): Promise<string[]> {
    const { api, answers, conductor } = this.#shared;
    const isLong = body.length > LONG_REQUEST;
    const release = isLongText(body.length) ? await this.#takeLongSlot(res) : null;
    try {
      if (isLong) await conductor.begin();
      let value: JsonValue;
      try {
        value = await this.#parse(res, body);
      } finally {
        // Runs for a wrong body too: a token revoked meanwhile gets 401, not the body's error.
        const isFresh = performance.now() - res.startedAt <= FRESH;
        if (!isFresh) res.principal = await authenticateRequest(this.#shared, req, 'bearer');
      }
      const principal = principalOf(res);
      const room = answers.begin(principal.userId);
      res.room = room;
      return await api.answer(value, principal, { isLong, isGone: () => res.destroyed, room });
    } finally {
      release?.();
    }
  }

  /**
   * Parses a body: a long one in slices, and given up between two of them where nobody waits for it
   * any more.
   */
  #parse(res: EdgeResponse, body: Buffer): Promise<JsonValue> {
    const slices = this.#shared.conductor.startSlices(() => {
      if (res.destroyed) throw new ClientGoneError();
    });
    return parseIJsonInSlices(body, slices);
  }

  /** Resolves to what releases the slot of a request that takes long to read. */
  #takeLongSlot(res: EdgeResponse): Promise<() => void> {
    const { longRequests, limits } = this.#shared;
    const deadline = performance.now() + limits.requestTimeout;
    return longRequests.take(principalOf(res).userId, deadline, res);
  }

  /**
   * Resolves at the end of this turn, when its answers leave one behind the other. A write to a
   * sleeping client takes several times as long as one to a client that is awake already.
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

function checkContentType(value: string | undefined): void {
  if (value === 'application/json' || (value !== undefined && isJson(value))) return;
  throw new RequestError('notJSON', 'The Content-Type of a request must be application/json.');
}

/** Allows `charset=utf-8` (RFC 8620 3.1) and ignores other parameters (RFC 8259 11). */
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
