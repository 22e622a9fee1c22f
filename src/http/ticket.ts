import { formatUtcDate } from '../protocol/dates.js';
import { tooManyRequests } from '../protocol/limits.js';
import type { Page } from './app.js';
import { tokenOf } from './authenticate-request.js';
import { principalOf } from './edge-response.js';
import { sendJson } from './reply.js';
import type { Shared } from './shared.js';

/**
 * Answers POST {base}/jmap/ticket with a ticket that stands for the token once, within a minute. It
 * is written to the database, so it takes one of the user's requests as a call does.
 */
export function ticketPage(shared: Shared): Page {
  const { tickets, limits, requests } = shared;
  return async ({ req, res }) => {
    const principal = principalOf(res);
    const { userId } = principal;
    if (!requests.take(userId)) throw tooManyRequests(limits.maxConcurrentRequests);
    try {
      const { ticket, expires } = await tickets.issue(principal, tokenOf(shared, req));
      sendJson(res, 200, { ticket, expires: formatUtcDate(expires) });
    } finally {
      requests.release(userId);
    }
  };
}
