import { ECDH } from 'node:crypto';

/** The keys of a PushSubscription (RFC 8291 2), decoded. */
export interface SubscriptionKeys {
  /** The public key of the receiver: an uncompressed point of P-256, 65 octets. */
  readonly p256dh: Buffer;
  /** The secret that both sides share, 16 octets. */
  readonly auth: Buffer;
}

/** Says what is wrong with one member of `keys`, or with `keys` itself. Repeats no key. */
export interface KeyFault {
  /** Such as `keys/auth`. */
  readonly at: string;
  readonly problem: string;
}

/** The curve of RFC 8291 3.1 and RFC 8292 2, as OpenSSL names it. */
export const CURVE = 'prime256v1';

const OCTETS = { p256dh: 65, auth: 16 } as const;

/** An uncompressed point of a curve begins with it. */
const UNCOMPRESSED = 4;

/**
 * Parses the `keys` of a PushSubscription (RFC 8620 7.2), which is an object of `p256dh` and `auth`
 * in base64url, with or without padding. Returns a fault where that is no key that one can encrypt
 * with.
 */
export function parseSubscriptionKeys(keys: unknown): SubscriptionKeys | KeyFault {
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) {
    return { at: 'keys', problem: 'must be an object with the members p256dh and auth, or null' };
  }
  const further = Object.keys(keys).find((name) => !Object.hasOwn(OCTETS, name));
  if (further !== undefined) {
    const name = JSON.stringify(further.slice(0, 64));
    return { at: 'keys', problem: `must have the members p256dh and auth, not ${name}` };
  }
  const { p256dh, auth } = keys as Readonly<Record<string, unknown>>;
  const point = parseOctets('p256dh', p256dh);
  if (!Buffer.isBuffer(point)) return point;
  const secret = parseOctets('auth', auth);
  if (!Buffer.isBuffer(secret)) return secret;
  if (!isPoint(point)) {
    return { at: 'keys/p256dh', problem: 'must be an uncompressed point on the curve P-256' };
  }
  return { p256dh: point, auth: secret };
}

function parseOctets(name: keyof typeof OCTETS, text: unknown): Buffer | KeyFault {
  const at = `keys/${name}`;
  const legal = `must be the base64url of ${OCTETS[name]} octets`;
  if (text === undefined) return { at, problem: `is missing: it ${legal}` };
  const octets = typeof text === 'string' ? decodeBase64url(text) : null;
  if (octets === null) return { at, problem: legal };
  if (octets.length === OCTETS[name]) return octets;
  return { at, problem: `${legal}, not of ${octets.length}` };
}

/**
 * Decodes base64url, with all of its padding or with none. Returns null where `text` has any other
 * character, and where it isn't the one text of these octets.
 */
export function decodeBase64url(text: string): Buffer | null {
  const octets = Buffer.from(text, 'base64url');
  const bare = octets.toString('base64url');
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
  return text === bare || text === padded ? octets : null;
}

function isPoint(octets: Buffer): boolean {
  if (octets[0] !== UNCOMPRESSED) return false;
  try {
    ECDH.convertKey(octets, CURVE);
    return true;
  } catch {
    // OpenSSL refuses a point that isn't on the curve.
    return false;
  }
}
