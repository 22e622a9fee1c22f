import { Reach } from '../outbound/network-reach.js';
import type { Subnet } from '../outbound/subnet.js';
import { parseUrl } from '../runtime/parse-url.js';

/** The legal URLs of an identity provider, for messages. */
export const PROVIDER_URLS =
  'an https URL without user and fragment, at a public address; over http, and at other ' +
  'addresses, only what OIDC_ALLOW names';

/**
 * Parses a URL of an identity provider; null where the server may not ask it. Where a name leads is
 * judged whenever it is asked.
 */
export function parseProviderUrl(text: string, allow: readonly Subnet[]): URL | null {
  const url = /[\s\p{Cc}\\]/u.test(text) ? null : parseUrl(text);
  if (url === null) return null;
  if (url.username + url.password !== '' || text.includes('#')) return null;
  const isClosed = url.protocol === 'http:';
  if (url.protocol !== 'https:' && !(isClosed && allow.length > 0)) return null;
  return new Reach({ allow, deny: [], hosts: [], isClosed }).mayTry(url) ? url : null;
}

/** Returns whether a text names an issuer (RFC 8414 2): such a URL without a query. */
export function isIssuer(text: string, allow: readonly Subnet[]): boolean {
  return !text.includes('?') && parseProviderUrl(text, allow) !== null;
}
