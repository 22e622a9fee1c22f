import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** Encrypts a text so that the bearer of `secret`, a random one, reads it, and nobody else. */
export function sealText(text: string, secret: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, keyOf(secret), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Returns the text; null where somebody else sealed it, or changed it. */
export function openText(sealed: string, secret: string): string | null {
  const octets = Buffer.from(sealed, 'base64url');
  if (octets.length < NONCE + TAG) return null;
  const decipher = createDecipheriv(CIPHER, keyOf(secret), octets.subarray(0, NONCE), {
    authTagLength: TAG,
  }).setAuthTag(octets.subarray(-TAG));
  try {
    const text = decipher.update(octets.subarray(NONCE, -TAG), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch {
    // The secret doesn't fit.
    return null;
  }
}

/** Not the hash of the secret, which the database has. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'text sealed with a secret', 32));
}
