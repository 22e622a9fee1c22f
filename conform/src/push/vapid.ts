import { createPublicKey, verify } from 'node:crypto';
import { asMap, type JsonMap, parseJson } from '../client/json.js';

/** Octets of a point of P-256 that is not compressed. */
const POINT = 65;

/** Describes the Authorization header of a push (RFC 8292 3). */
export interface Vapid {
  /** The public key, as the header has it. */
  readonly key: string;
  readonly claims: JsonMap;
  /** Whether the key signed the token. */
  readonly isSigned: boolean;
}

/** Reads the header of a push; null where it has no token and no key. */
export function readVapid(header: string): Vapid | null {
  const [, scheme = '', rest = ''] = /^(\S+) +(.*)$/s.exec(header) ?? [];
  const pairs = rest.split(',').map((pair): [string, string] => {
    const [, name = '', value = ''] = /^\s*(\w+)\s*=\s*"?([^"]*?)"?\s*$/.exec(pair) ?? [];
    return [name, value];
  });
  const { t: token = '', k: key = '' } = Object.fromEntries(pairs);
  const [head = '', body = '', signature = '', ...others] = token.split('.');
  if (scheme.toLowerCase() !== 'vapid' || key === '' || signature === '' || others.length > 0)
    return null;
  const { alg } = readPart(head);
  const isSigned = alg === 'ES256' && isSignedBy(key, `${head}.${body}`, signature);
  return { key, claims: readPart(body), isSigned };
}

const readPart = (text: string): JsonMap =>
  asMap(parseJson(Buffer.from(text, 'base64url').toString('utf8')));

/** Tells whether a key, a point in base64url, made a signature (RFC 7518 3.4). */
function isSignedBy(key: string, text: string, signature: string): boolean {
  const point = Buffer.from(key, 'base64url');
  if (point.length !== POINT) return false;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) =>
    one.toString('base64url'),
  );
  try {
    const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    const octets = Buffer.from(signature, 'base64url');
    return verify(
      'sha256',
      Buffer.from(text),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      octets,
    );
  } catch {
    // A point that is not on the curve is no key.
    return false;
  }
}
