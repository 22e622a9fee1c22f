/** RFC 6750 2.1: a bearer token as the header Authorization. */
export const bearer = (token: string): string => `Bearer ${token}`;

/**
 * RFC 7617: `USER:PASSWORD` as the header Authorization; null of what has no user before a colon.
 */
export function basic(pair: string): string | null {
  // The user's name ends at the first colon: a password may have more of them (section 2).
  return pair.indexOf(':') < 1 ? null : `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}
