import { createECDH, randomBytes } from 'node:crypto';
import { decrypt } from 'http_ece';
import type { SubscriptionKeys } from '../../../src/push/webpush/subscription-keys.js';

/** A browser's side of a subscription: its keys, and a decoder that others wrote. */
export interface Receiver {
  readonly keys: SubscriptionKeys;
  /** The keys as a client sends them. */
  readonly texts: { readonly p256dh: string; readonly auth: string };
  read(body: Buffer): string;
}

export function makeReceiver(): Receiver {
  const privateKey = createECDH('prime256v1');
  const p256dh = privateKey.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh, auth },
    texts: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
    read: (body) =>
      decrypt(body, { version: 'aes128gcm', privateKey, authSecret: auth }).toString('utf8'),
  };
}
