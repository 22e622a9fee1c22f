import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

/** The members of a key that its thumbprint covers, in their order (RFC 7638 3.2, RFC 8037 2). */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
};

/** Returns the thumbprint of a public key of a set; null where it can verify nothing here. */
export function thumbprintOfJwk(key: JWK): string | null {
  try {
    return thumbprintOf(createPublicKey({ key: { ...key }, format: 'jwk' }));
  } catch {
    // Node doesn't know its curve, or it is malformed: no token is good by it.
    return null;
  }
}

/**
 * Returns the thumbprint of a public key (RFC 7638): the same however a provider writes the key
 * down.
 */
export function thumbprintOf(key: KeyObject): string {
  const jwk = key.export({ format: 'jwk' });
  const members = (MEMBERS[jwk.kty ?? ''] ?? []).map((name) => [name, jwk[name]] as const);
  return hash('sha256', JSON.stringify(Object.fromEntries(members)), 'base64url');
}
