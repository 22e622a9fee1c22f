import type { Sessions } from '../protocol/session.js';
import type { Page } from './app.js';
import type { BaseUrls } from './base-url.js';
import { principalOf, send } from './edge-response.js';
import { HttpError } from './reply.js';

/** RFC 8620 2: no HTTP cache may hold it; clients watch sessionState instead. */
const HEADERS: readonly string[] = Object.freeze([
  'Content-Type',
  'application/json',
  'Cache-Control',
  'no-cache, no-store, must-revalidate',
]);

/** Answers GET {base}/.well-known/jmap with the Session object, without a redirect. */
export function sessionPage(sessions: Sessions, baseUrls: BaseUrls): Page {
  return async ({ req, res }) => {
    const base = baseUrls.find(req);
    if (base === null) throw new HttpError(400, 'The Host header names no host.');
    send(res, 200, HEADERS, sessions.text(principalOf(res), base));
  };
}
