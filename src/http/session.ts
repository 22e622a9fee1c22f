import type { Sessions } from '../protocol/session.js';
import type { BaseUrls } from './base-url.js';
import { send } from './edge-response.js';
import { HttpError } from './reply.js';
import type { AuthenticatedHandler } from './route-request.js';

/** RFC 8620 2: no HTTP cache may hold it; clients watch sessionState instead. */
const HEADERS: readonly string[] = Object.freeze([
  'Content-Type',
  'application/json',
  'Cache-Control',
  'no-cache, no-store, must-revalidate',
]);

/** GET {base}/.well-known/jmap: the Session object (D1: no redirect). */
export function sessionPage(sessions: Sessions, baseUrls: BaseUrls): AuthenticatedHandler {
  return async ({ req, res, principal }) => {
    const base = baseUrls.of(req);
    if (base === null) throw new HttpError(400, 'The Host header names no host.');
    send(res, 200, HEADERS, sessions.text(principal, base));
  };
}
