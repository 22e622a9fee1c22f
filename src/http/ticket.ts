import { formatUtcDate } from '../protocol/dates.js';
import { tooManyRequests } from '../protocol/limits.js';
import type { Slots } from '../runtime/budgets.js';
import { sendJson } from './reply.js';
import type { AuthenticatedHandler } from './route-request.js';
import type { TransportServices } from './services.js';

/**
 * POST {base}/jmap/ticket: a ticket that stands for the token once, within a minute (D25). It is
 * written to the database, so it takes one of the user's requests as a call does.
 */
export function ticketPage(
  { tickets, limits }: TransportServices,
  slots: Slots,
): AuthenticatedHandler {
  return async ({ res, principal }) => {
    const { userId } = principal;
    if (!slots.take(userId)) throw tooManyRequests(limits.maxConcurrentRequests);
    try {
      const { ticket, expires } = await tickets.issue(principal);
      sendJson(res, 200, { ticket, expires: formatUtcDate(expires) });
    } finally {
      slots.release(userId);
    }
  };
}
