/** Returns the header Authorization of a bearer token (RFC 6750 2.1). */
export const bearer = (token: string): string => `Bearer ${token}`;

/**
 * Returns the header Authorization of `USER:PASSWORD` (RFC 7617); null where no user stands before
 * a colon.
 */
export function basic(pair: string): string | null {
  // The user's name ends at the first colon: a password may have more of them (section 2).
  return pair.indexOf(':') < 1 ? null : `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}
