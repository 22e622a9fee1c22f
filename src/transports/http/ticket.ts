import { formatUtcDate } from '../../protocol/dates.js';
import type { Tickets } from '../tickets.js';
import { sendJson } from './reply.js';
import type { AuthenticatedHandler } from './route-request.js';

/** POST {base}/jmap/ticket: a ticket that stands for the token once, within a minute (D25). */
export function ticketPage(tickets: Tickets): AuthenticatedHandler {
  return async ({ res, principal }) => {
    const { ticket, expires } = tickets.issue(principal.tokenId);
    sendJson(res, 200, { ticket, expires: formatUtcDate(expires) });
  };
}
