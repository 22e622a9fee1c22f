import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';
import { CURVE, type SubscriptionKeys } from './subscription-keys.js';

/** The octets of plaintext that one push message has room for (RFC 8291 4). */
export const LONGEST_PLAINTEXT = 3993;

/** The record size of RFC 8188 2.1. A message is one record, which may be shorter. */
const RECORD_SIZE = 4096;

/** The octet that ends the plaintext of a last record (RFC 8188 2). */
const LAST_RECORD = Buffer.of(2);

/** The number of the first block of HKDF's output (RFC 5869 2.3). */
const FIRST_BLOCK = Buffer.of(1);

/** The random parts of one message. */
interface Chance {
  /** 16 octets. */
  readonly salt: Uint8Array;
  /** The private key of the sender for this message, 32 octets. */
  readonly privateKey: Uint8Array;
}

/**
 * Encrypts one push message (RFC 8291) with the content encoding aes128gcm (RFC 8188), and returns
 * the body to send: 103 octets more than `plaintext`. Each message has a key pair and a salt of its
 * own; `fixed` replaces them in tests alone. Throws RangeError for more than 3,993 octets.
 */
export function encryptMessage(
  plaintext: Uint8Array,
  { p256dh, auth }: SubscriptionKeys,
  fixed?: Chance,
): Buffer {
  if (plaintext.length > LONGEST_PLAINTEXT) {
    const problem = `A push message has at most ${LONGEST_PLAINTEXT} octets`;
    throw new RangeError(`${problem}, not ${plaintext.length}.`);
  }
  const sender = createECDH(CURVE);
  if (fixed === undefined) sender.generateKeys();
  else sender.setPrivateKey(fixed.privateKey);
  const salt = fixed?.salt ?? randomBytes(16);
  const publicKey = sender.getPublicKey();
  const shared = sender.computeSecret(p256dh);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey]);
  const secret = expand(hmac(auth, shared), info);
  const extracted = hmac(salt, secret);
  const key = expand(extracted, 'Content-Encoding: aes128gcm\0').subarray(0, 16);
  const nonce = expand(extracted, 'Content-Encoding: nonce\0').subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_SIZE);
  sizes.writeUInt8(publicKey.length, 4);
  return Buffer.concat([
    ...[salt, sizes, publicKey],
    ...[cipher.update(plaintext), cipher.update(LAST_RECORD), cipher.final()],
    cipher.getAuthTag(),
  ]);
}

/* HKDF (RFC 5869) extracts by one HMAC and expands by one: `hkdfSync` takes twice as long. */

/** Returns the 32 octets of the one block that is needed. */
function expand(extracted: Uint8Array, info: string | Uint8Array): Buffer {
  return createHmac('sha256', extracted).update(info).update(FIRST_BLOCK).digest();
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
