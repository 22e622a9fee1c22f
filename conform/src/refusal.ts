import type { ApiAnswer } from './client/connection.js';
import type { HttpAnswer } from './client/http.js';
import { asMap } from './client/json.js';
import { type Matcher, satisfying } from './expected.js';
import type { Server } from './subject/server.js';

/** Stands in front of the types of request-level errors (RFC 8620 3.6.1). */
export const ERROR = 'urn:ietf:params:jmap:error:';

/**
 * Matches a request-level error (RFC 8620 3.6.1). The request must be rejected. A problem details
 * object as its body is a SHOULD, but if it tells one of the RFC's types, it must be the right one.
 * A strict run wants it, with status 400.
 */
export function refused(server: Server, type: string, limit?: string): Matcher {
  return satisfying(`a rejected request: ${type} ${limit ?? ''}`, (value) => {
    const answer = value as ApiAnswer | null;
    if (answer?.kind !== 'problem') return false;
    const { status, problem } = answer;
    const told = problem['type'];
    const isTold = typeof told === 'string' && told.startsWith(ERROR);
    // Over WebSocket the status is a member of the problem, which may be left out.
    const isStatus = status >= 400 && status < 500;
    if (!isStatus && !(server.transport === 'websocket' && isTold)) return false;
    if (isTold && told !== `${ERROR}${type}`) return false;
    if (limit !== undefined && isTold && problem['limit'] !== limit) return false;
    return !server.strict || (isTold && status === 400 && typeof problem['detail'] === 'string');
  });
}

/** Reads an HTTP answer to an API request. */
export function readApiAnswer({ status, json }: HttpAnswer): ApiAnswer {
  if (status === 200) return { kind: 'response', response: asMap(json) as never };
  return { kind: 'problem', status, problem: asMap(json) };
}

/**
 * Matches the status of a request without valid credentials. RFC 8620 1.7 asks for an error of the
 * client's alone; a strict run wants 401.
 */
export const unauthenticated = ({ strict }: Server): Matcher =>
  satisfying(strict ? 'the status 401' : 'a status from 400 to 499', (status) =>
    strict ? status === 401 : Number(status) >= 400 && Number(status) < 500,
  );
