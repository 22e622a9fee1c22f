import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { UnexpectedError } from '../unexpected.js';

/** Octets of the parts of a message (RFC 8188 2.1). */
const SALT = 16;
const SIZE = 4;
const TAG = 16;
/** Octets of a point of P-256 that is not compressed. */
const POINT = 65;

/** The keys of one subscription (RFC 8291), as the client has them. */
export interface PushKeys {
  /** As the server gets them: `keys` of a PushSubscription (RFC 8620 7.2). */
  readonly told: { readonly p256dh: string; readonly auth: string };
  /** Returns the plaintext of a message. Throws UnexpectedError where it can't be read. */
  decrypt(body: Buffer): Buffer;
}

/** Makes the keys of a subscription; `fixed` replaces what is random in tests alone. */
export function makeKeys(fixed?: { readonly private: Buffer; readonly auth: Buffer }): PushKeys {
  const own = createECDH('prime256v1');
  if (fixed === undefined) own.generateKeys();
  else own.setPrivateKey(fixed.private);
  const auth = fixed?.auth ?? randomBytes(16);
  const point = own.getPublicKey();
  return {
    told: { p256dh: point.toString('base64url'), auth: auth.toString('base64url') },
    decrypt(body) {
      const { salt, sender, sealed } = splitMessage(body);
      try {
        const info = Buffer.concat([Buffer.from('WebPush: info\0'), point, sender]);
        const secret = derive(own.computeSecret(sender), auth, info, 32);
        const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
        const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
        const decipher = createDecipheriv('aes-128-gcm', key, nonce);
        decipher.setAuthTag(sealed.subarray(-TAG));
        const padded = Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()]);
        return cutPadding(padded);
      } catch (error) {
        if (error instanceof UnexpectedError) throw error;
        throw new UnexpectedError(`The keys don't decrypt the message: ${String(error)}`);
      }
    },
  };
}

/** Returns the parts of a message of one record (RFC 8291 4). */
function splitMessage(body: Buffer) {
  const size = body.length < SALT + SIZE + 1 ? 0 : body.readUInt32BE(SALT);
  const length = body.at(SALT + SIZE) ?? 0;
  const start = SALT + SIZE + 1 + length;
  const sealed = body.subarray(start);
  if (length !== POINT || sealed.length <= TAG || sealed.length > size)
    throw new UnexpectedError(
      `A message has a salt, a size, a key of ${POINT} octets, and one record of that size. ` +
        `This one has ${body.length} octets, the size ${size} and a key of ${length} octets.`,
    );
  const sender = body.subarray(SALT + SIZE + 1, start);
  return { salt: body.subarray(0, SALT), sender, sealed };
}

/** Returns a record without its padding: the octet 2 ends the last record (RFC 8188 2). */
function cutPadding(padded: Buffer): Buffer {
  const end = padded.findLastIndex((octet) => octet !== 0);
  if (padded[end] !== 2)
    throw new UnexpectedError(`The record ends with ${padded[end]}, not with 2 (RFC 8188 2).`);
  return padded.subarray(0, end);
}

const derive = (
  secret: Uint8Array,
  salt: Uint8Array,
  info: string | Uint8Array,
  octets: number,
): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, info, octets));
