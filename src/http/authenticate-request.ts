import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../accounts/principal.js';
import { HttpError } from './reply.js';
import type { RouteAccess } from './routes.js';
import type { TransportServices } from './services.js';

const CHALLENGE = 'Bearer realm="jmap"';

/** How a user's route is authenticated (RouteAccess). */
export type UserAccess = Extract<RouteAccess, 'bearer' | 'ticket'>;

/** Resolves to the principal of a request's credentials. Rejects with HttpError 400 or 401. */
export async function authenticateRequest(
  services: TransportServices,
  req: IncomingMessage,
  access: UserAccess,
): Promise<Principal> {
  const credentials = readCredentials(req);
  if (credentials.kind === 'several') throw new HttpError(400, 'Send one Authorization header.');
  if (credentials.kind === 'malformed') throw unauthorized('The token is malformed.', true);
  if (credentials.kind === 'bearer') {
    const principal = await services.authenticator.authenticate(credentials.token);
    if (principal !== null) return principal;
    throw unauthorized('The token is unknown, expired or revoked.', true);
  }
  const ticket = access === 'ticket' ? queryOf(req).get('ticket') : null;
  if (ticket === null) throw unauthorized('Send a bearer token.', false);
  return redeemTicket(services, ticket);
}

async function redeemTicket(
  { tickets, authenticator }: TransportServices,
  ticket: string,
): Promise<Principal> {
  const tokenId = await tickets.redeem(ticket);
  const principal = tokenId === null ? null : await authenticator.refresh(tokenId);
  if (principal !== null) return principal;
  throw unauthorized('The ticket is unknown, used or expired.', true);
}

/** D3: with `error="invalid_token"` where a token was sent. */
function unauthorized(detail: string, sent: boolean): HttpError {
  const challenge = sent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
  return new HttpError(401, detail, ['WWW-Authenticate', challenge]);
}

/** Throws HttpError 401 where a request has not the token for metrics; null asks for none. */
export function requireMetricsToken(req: IncomingMessage, expected: string | null): void {
  if (expected === null) return;
  const credentials = readCredentials(req);
  const given = credentials.kind === 'bearer' ? credentials.token : '';
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  if (a.length !== b.length || !timingSafeEqual(a, b)) {
    throw unauthorized('Send the metrics token as a bearer token.', credentials.kind !== 'none');
  }
}

/** The query's parameters. A "+" is itself: RFC 6570 never writes a space so, and `image/svg+xml` has one. */
export function queryOf(req: IncomingMessage): URLSearchParams {
  const url = req.url ?? '';
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1).replaceAll('+', '%2B'));
}

/** What a request's Authorization header says. */
type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'several' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'bearer'; readonly token: string };

const NONE: Credentials = Object.freeze({ kind: 'none' });
const SEVERAL: Credentials = Object.freeze({ kind: 'several' });
const MALFORMED: Credentials = Object.freeze({ kind: 'malformed' });

/** RFC 6750 2.1: the b64token of a bearer credential; the scheme's name in any case (RFC 9110 11.1). */
const BEARER = /^bearer +[A-Za-z0-9._~+/-]+=*$/i;
const SCHEME = /^bearer +./i;
const MAX_TOKEN = 1024;

/** D3: two Authorization headers are refused; Node alone would keep the first in silence. */
function readCredentials(req: IncomingMessage): Credentials {
  const value = req.headers.authorization;
  if (value === undefined) return NONE;
  if (countHeader(req.rawHeaders, 'authorization') > 1) return SEVERAL;
  const trimmed = value.trim();
  if (BEARER.test(trimmed)) {
    const token = trimmed.slice(trimmed.lastIndexOf(' ') + 1);
    if (token.length <= MAX_TOKEN) return { kind: 'bearer', token };
  }
  // Another scheme is no token at all; a bearer one that can't be read is a wrong token.
  return SCHEME.test(value) ? MALFORMED : NONE;
}

function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i];
    if (raw !== undefined && raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}
