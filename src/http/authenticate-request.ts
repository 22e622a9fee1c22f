import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LONGEST_TOKEN } from '../accounts/oidc/sign-ins.js';
import type { Gate, Principal } from '../accounts/principal.js';
import { TOKEN_PREFIX } from '../accounts/token-text.js';
import { BEARER_ALONE, type CredentialsOffer, tokenRefused, unauthorized } from './challenges.js';
import { HttpError } from './reply.js';
import { countHeader } from './request-head.js';
import type { RouteAccess } from './routes.js';
import type { TransportServices } from './shared.js';

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
  const { authenticator } = services;
  const { offer } = services.identity;
  const token = readToken(req, offer, services.corsOrigins);
  if (token instanceof HttpError) throw token;
  if (token === '') throw unauthorized(offer, 'The password is no token of this server.', true);
  if (token !== null) {
    const principal = await authenticator.authenticate(token, gate);
    if (principal !== null) return principal;
    throw tokenRefused(offer);
  }
  const ticket = access === 'ticket' ? queryOf(req).get('ticket') : null;
  if (ticket === null) throw unauthorized(offer, 'Send a bearer token.', false);
  await gate?.();
  return redeemTicket(services, ticket);
}

/** Returns the token of a request whose credentials were good; null where it came by a ticket. */
export function tokenOf(services: TransportServices, req: IncomingMessage): string | null {
  const token = readToken(req, services.identity.offer, services.corsOrigins);
  return typeof token === 'string' ? token : null;
}

async function redeemTicket(
  { tickets, authenticator, identity }: TransportServices,
  ticket: string,
): Promise<Principal> {
  const credential = await tickets.redeem(ticket);
  const principal = credential && (await authenticator.refresh(credential));
  if (principal !== null) return principal;
  throw unauthorized(identity.offer, 'The ticket is unknown, used or expired.', true);
}

/**
 * Throws HttpError 401 if the request lacks the `expected` token for metrics; null: none is needed.
 */
export function requireMetricsToken(req: IncomingMessage, expected: string | null): void {
  if (expected === null) return;
  const token = readToken(req, BEARER_ALONE);
  const tokenOctets = Buffer.from(typeof token === 'string' ? token : '');
  const expectedOctets = Buffer.from(expected);
  if (
    tokenOctets.length !== expectedOctets.length ||
    !timingSafeEqual(tokenOctets, expectedOctets)
  ) {
    throw unauthorized(BEARER_ALONE, 'Send the metrics token as a bearer token.', token !== null);
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

/**
 * Returns the token of a request, or null. Returns an error for a malformed token (401) and for two
 * Authorization headers (400; Node by itself keeps the first in silence).
 */
function readToken(
  { headers, rawHeaders }: IncomingMessage,
  offer: CredentialsOffer,
  origins: readonly string[] = [],
): string | HttpError | null {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  if (countHeader(rawHeaders, 'authorization') > 1) {
    return new HttpError(400, 'Send one Authorization header.');
  }
  const trimmed = authorization.trim();
  const token = BEARER.test(trimmed) ? trimmed.slice(trimmed.lastIndexOf(' ') + 1) : '';
  if (token !== '' && token.length <= LONGEST_TOKEN) return token;
  // Another scheme is no token at all; a bearer one that can't be read is a wrong token.
  if (SCHEME.test(authorization)) return unauthorized(offer, 'The token is malformed.', true);
  if (!offer.basic || !BASIC_SCHEME.test(trimmed)) return null;
  return judgeOrigin(headers.origin, origins) ?? passwordOf(trimmed);
}

/**
 * Refuses Basic credentials from a page whose origin is not listed by name. Browsers send those
 * that they remember with requests of any page.
 */
function judgeOrigin(origin: string | undefined, origins: readonly string[]): HttpError | null {
  if (origin === undefined || origins.includes(origin)) return null;
  return new HttpError(403, 'Basic authentication is not for pages of this Origin.');
}

/** RFC 7617 2: user-id and password, in base64. The user-id means nothing: the token has a user. */
const BASIC_SCHEME = /^basic /i;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Returns the token of ours that is the password of Basic credentials, or null. */
function passwordOf(authorization: string): string | null {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined || encoded.length > LONGEST_TOKEN) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const password = text.slice(text.indexOf(':') + 1);
  // Other passwords go nowhere: an identity provider must not get them to look at.
  return password.startsWith(TOKEN_PREFIX) ? password : '';
}
