import type { JWTVerifyGetKey } from 'jose';
import { refuse, type TokenRules, verifyJwt } from './access-token.js';
import { isText } from './claims.js';

/** Whom a provider has signed out. At least one of `subject` and `session` is there. */
export interface Logout {
  readonly subject: string | null;
  /** The provider's session (`sid`): null is all of the subject. */
  readonly session: string | null;
  /** Sign-ins of before are over, epoch ms. */
  readonly at: number;
  /** Identifies the token, which counts once. */
  readonly id: string;
  /** No copy of the token is good any more after this, epoch ms. */
  readonly end: number;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Providers end them after two minutes; one that is older may be a copy, seconds. */
const OLDEST = 300;

/**
 * Resolves to what a logout token says (OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.6).
 * `rules.audience`: ids of clients, since such a token is made for a client. Rejects with
 * TokenRefusedError; with UnavailableError where the provider's keys can't be had.
 */
export async function verifyLogoutToken(
  token: string,
  rules: TokenRules,
  keyOf: JWTVerifyGetKey,
  now: number,
): Promise<Logout> {
  const { payload, protectedHeader } = await verifyJwt(token, rules, keyOf, {
    currentDate: new Date(now),
    requiredClaims: ['exp', 'jti'],
    maxTokenAge: OLDEST,
  });
  if (!isLogoutType(protectedHeader.typ)) refuse('its header has another "typ"');
  if (Object.hasOwn(payload, 'nonce')) refuse('it has a "nonce": it is an ID token');
  if (!isLogoutEvent(payload['events'])) refuse('"events" has no logout');
  const subject = nameAt(payload, 'sub');
  const session = nameAt(payload, 'sid');
  if (subject === null && session === null) refuse('it has neither "sub" nor "sid"');
  const { iat = 0, exp = 0 } = payload;
  const id = nameAt(payload, 'jti') ?? refuse('"jti" is no name');
  // Both may have fractions (RFC 7519 2), and `exp` may be any number.
  const last = Math.min(exp, iat + OLDEST) + rules.clockTolerance;
  return { subject, session, id, at: wholeMs(iat), end: wholeMs(last) };
}

/** Returns whole ms, which the database keeps; never less than the seconds. */
function wholeMs(seconds: number): number {
  return Math.ceil(seconds * 1000);
}

/** The type is recommended, and many providers leave it out. */
function isLogoutType(type: unknown): boolean {
  if (type === undefined) return true;
  return typeof type === 'string' && /^(?:(?:application\/)?logout\+jwt|jwt)$/i.test(type);
}

function isLogoutEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, EVENT)) return false;
  const event = (events as Readonly<Record<string, unknown>>)[EVENT];
  return typeof event === 'object' && event !== null && !Array.isArray(event);
}

/** Returns a claim that is a name; null where it is missing. */
function nameAt(claims: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = claims[name];
  if (value === undefined) return null;
  return isText(value) && value !== '' ? value : refuse(`"${name}" is no name`);
}
