import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IdGenerator } from '../protocol/ids.js';

/**
 * A token's text: `jms_<token id>_<secret>`. The prefix lets scanners find leaked ones, the id finds the row by
 * its key, and the secret is 32 random octets in base64url, of which the database keeps a hash alone. A plain
 * SHA-256 is enough for a secret that no dictionary holds.
 */
const TOKEN = /^jms_[a-z0-9]{2,64}_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 4;
const SECRET_LENGTH = 43;
const SECRET_OCTETS = 32;

/** What a secret is compared with where no such token exists: no hash is all zeros, so it never matches. */
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
  return { id, created: time, token: `jms_${id}_${secret}`, secretHash: hashSecret(secret) };
}

/** The parts of a token, or null where it has not the form of one. */
export function parseToken(text: string): { readonly id: string; readonly secret: string } | null {
  // By position: what a match captures would be an array for each request.
  if (!TOKEN.test(text)) return null;
  return {
    id: text.slice(PREFIX_LENGTH, -SECRET_LENGTH - 1),
    secret: text.slice(-SECRET_LENGTH),
  };
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * Compares in constant time; `kept` is null for an unknown token, which costs the same comparison, so that an
 * answer's time tells nothing of a secret.
 */
export function secretMatches(secret: string, kept: Uint8Array | null): boolean {
  const matches = timingSafeEqual(hashSecret(secret), kept ?? NO_HASH);
  return matches && kept !== null;
}
