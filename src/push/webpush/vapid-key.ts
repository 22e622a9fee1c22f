import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import { CURVE, decodeBase64url } from './subscription-keys.js';

/** A key pair that identifies this server to push services (RFC 8292 3.2). */
export interface VapidKey {
  readonly privateKey: KeyObject;
  /** The base64url of the private key's 32 octets: `readVapidKey` takes it. A secret. */
  readonly privateText: string;
  /** The base64url of the public key's 65 octets: `applicationServerKey` (RFC 9749 3). */
  readonly publicText: string;
}

/** The octets of a private key of P-256. */
const KEY_OCTETS = 32;

/** Makes a new key pair. */
export function makeVapidKey(): VapidKey {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  const octets = ecdh.getPrivateKey();
  // Node leaves leading zeros away.
  return keyOf(Buffer.concat([Buffer.alloc(KEY_OCTETS - octets.length), octets]));
}

/**
 * Reads a private key of P-256: PEM in PKCS#8 or SEC1, or the base64url of 32 octets. Returns null
 * for everything else, also for a key of another curve.
 */
export function readVapidKey(text: string): VapidKey | null {
  try {
    const octets = text.includes('-----BEGIN') ? readPem(text) : decodeBase64url(text.trim());
    return octets?.length === KEY_OCTETS ? keyOf(octets) : null;
  } catch {
    // OpenSSL refuses what is no key, and a number that is none of the curve.
    return null;
  }
}

function readPem(text: string): Buffer | null {
  const { d, crv } = createPrivateKey(text).export({ format: 'jwk' });
  return crv === 'P-256' && d !== undefined ? decodeBase64url(d) : null;
}

function keyOf(octets: Buffer): VapidKey {
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(octets);
  const point = ecdh.getPublicKey();
  const d = octets.toString('base64url');
  const x = point.toString('base64url', 1, 33);
  const y = point.toString('base64url', 33);
  const key = { kty: 'EC', crv: 'P-256', d, x, y };
  return {
    privateKey: createPrivateKey({ key, format: 'jwk' }),
    privateText: d,
    publicText: point.toString('base64url'),
  };
}
