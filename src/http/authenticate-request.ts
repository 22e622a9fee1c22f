import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Gate, Principal } from '../accounts/principal.js';
import { HttpError } from './reply.js';
import { countHeader } from './request-head.js';
import type { RouteAccess } from './routes.js';
import type { TransportServices } from './shared.js';

const CHALLENGE = 'Bearer realm="jmap"';

/**
 * Resolves to the principal of a request's credentials. Rejects with HttpError 400 or 401, and as
 * `gate` does, which credentials pass that this process doesn't remember as good.
 */
export async function authenticateRequest(
  services: TransportServices,
  req: IncomingMessage,
  access: RouteAccess,
  gate?: Gate,
): Promise<Principal> {
  const token = readToken(req);
  if (token instanceof HttpError) throw token;
  if (token !== null) {
    const principal = await services.authenticator.authenticate(token, gate);
    if (principal !== null) return principal;
    throw unauthorized('The token is unknown, expired or revoked.', true);
  }
  const ticket = access === 'ticket' ? queryOf(req).get('ticket') : null;
  if (ticket === null) throw unauthorized('Send a bearer token.', false);
  await gate?.();
  return redeemTicket(services, ticket);
}

async function redeemTicket(
  { tickets, authenticator }: TransportServices,
  ticket: string,
): Promise<Principal> {
  const credential = await tickets.redeem(ticket);
  const principal = credential && (await authenticator.refresh(credential));
  if (principal !== null) return principal;
  throw unauthorized('The ticket is unknown, used or expired.', true);
}

/** With `error="invalid_token"` where a token was sent (RFC 6750 3.1). */
function unauthorized(detail: string, sent: boolean): HttpError {
  const challenge = sent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
  return new HttpError(401, detail, ['WWW-Authenticate', challenge]);
}

/**
 * Throws HttpError 401 if the request lacks the `expected` token for metrics; null: none is needed.
 */
export function requireMetricsToken(req: IncomingMessage, expected: string | null): void {
  if (expected === null) return;
  const token = readToken(req);
  const tokenOctets = Buffer.from(typeof token === 'string' ? token : '');
  const expectedOctets = Buffer.from(expected);
  if (
    tokenOctets.length !== expectedOctets.length ||
    !timingSafeEqual(tokenOctets, expectedOctets)
  ) {
    throw unauthorized('Send the metrics token as a bearer token.', token !== null);
  }
}

/** Reads the query. Keeps "+": RFC 6570 encodes a space as %20, and `image/svg+xml` has a plus. */
export function queryOf(req: IncomingMessage): URLSearchParams {
  const url = req.url ?? '';
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1).replaceAll('+', '%2B'));
}

/** The b64token of a bearer credential (RFC 6750 2.1); the scheme in any case (RFC 9110 11.1). */
const BEARER = /^bearer +[A-Za-z0-9._~+/-]+=*$/i;
const SCHEME = /^bearer +./i;
const MAX_TOKEN = 1024;

/**
 * Returns the bearer token of a request, or null. Returns an error for a malformed token (401) and
 * for two Authorization headers (400; Node by itself keeps the first in silence).
 */
function readToken({ headers, rawHeaders }: IncomingMessage): string | HttpError | null {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  if (countHeader(rawHeaders, 'authorization') > 1) {
    return new HttpError(400, 'Send one Authorization header.');
  }
  const trimmed = authorization.trim();
  const token = BEARER.test(trimmed) ? trimmed.slice(trimmed.lastIndexOf(' ') + 1) : '';
  if (token !== '' && token.length <= MAX_TOKEN) return token;
  // Another scheme is no token at all; a bearer one that can't be read is a wrong token.
  return SCHEME.test(authorization) ? unauthorized('The token is malformed.', true) : null;
}
