import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IdGenerator } from '../protocol/ids.js';
import type { Credential } from './principal.js';

/**
 * A token's text: `jms_<token id>_<secret>`. Scanners find leaked tokens by the prefix, and the
 * server finds the row by the id. The secret is 32 random octets in base64url. The database keeps
 * its plain SHA-256 alone, which is enough for a secret that no dictionary holds.
 */
const TOKEN = /^jms_[a-z0-9]{2,64}_[A-Za-z0-9_-]{43}$/;
export const TOKEN_PREFIX = 'jms_';
const SECRET_LENGTH = 43;
const SECRET_OCTETS = 32;

/** Compared with the secret of an unknown token: no hash is all zeros, so it never matches. */
const NO_HASH = Buffer.alloc(32);

export interface NewToken {
  readonly id: string;
  /** Epoch ms. */
  readonly created: number;
  /** The whole token: shown once, to whoever asked for it, and never kept or logged. */
  readonly token: string;
  readonly secretHash: Buffer;
}

export function makeToken(ids: IdGenerator): NewToken {
  const { id, time } = ids.next('t');
  const secret = randomBytes(SECRET_OCTETS).toString('base64url');
  return {
    id,
    created: time,
    token: `${TOKEN_PREFIX}${id}_${secret}`,
    secretHash: hashSecret(secret),
  };
}

/** Returns the parts of a token, or null where it has not the form of one. */
export function parseToken(text: string): { readonly id: string; readonly secret: string } | null {
  // By position: what a match captures would be an array for each request.
  if (!TOKEN.test(text)) return null;
  return {
    id: text.slice(TOKEN_PREFIX.length, -SECRET_LENGTH - 1),
    secret: text.slice(-SECRET_LENGTH),
  };
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * Compares in constant time. For an unknown token `kept` is null and costs the same comparison, so
 * that the time of an answer tells nothing of a secret.
 */
export function secretMatches(secret: string, kept: Uint8Array | null): boolean {
  const matches = timingSafeEqual(hashSecret(secret), kept ?? NO_HASH);
  return matches && kept !== null;
}

/** Returns the credential of a token of ours. */
export function tokenCredential(id: string): Credential {
  return { id, owner: id, signIn: null };
}
