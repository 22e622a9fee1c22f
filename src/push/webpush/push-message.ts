import { encryptMessage } from './encrypt.js';
import type { Failure, Poster, Push } from './post.js';
import type { PushRow } from './sender-ports.js';

/** Returns the Authorization header by the key of the id; null where there is no such key. */
export type Authorize = (vapidKey: string, url: URL) => Promise<string | null>;

export interface MessageOptions {
  readonly poster: Pick<Poster, 'post'>;
  readonly authorize: Authorize;
}

/** A message for one subscription: StateChange or PushVerification (RFC 8620 7.1, 7.2.2). */
export interface PushMessage {
  /** JSON of at most 3,993 octets. */
  readonly text: string;
  /** How long a push service keeps it for a device that isn't there, seconds. */
  readonly ttl: number;
  /** A message replaces an undelivered one of the same topic; null: it replaces none. */
  readonly topic: string | null;
}

/**
 * Makes the POST of a message to a subscription: encrypted where it has keys, and signed by its
 * key. Resolves to a failure where that key can't be used: nothing leaves unsigned instead.
 */
export async function prepareMessage(
  row: Pick<PushRow, 'url' | 'keys' | 'vapidKey'>,
  { text, ttl, topic }: PushMessage,
  { authorize }: Pick<MessageOptions, 'authorize'>,
): Promise<Push | Failure> {
  const url = new URL(row.url);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    TTL: String(ttl),
    Urgency: 'normal',
  };
  if (topic !== null) headers['Topic'] = topic;
  if (row.keys !== null) headers['Content-Encoding'] = 'aes128gcm';
  if (row.vapidKey !== null) {
    const authorization = await authorize(row.vapidKey, url);
    if (authorization === null) {
      const detail = `there is no PUSH_CONTACT, or the VAPID key ${row.vapidKey} can't be read`;
      return { kind: 'unsigned', detail };
    }
    headers['Authorization'] = authorization;
  }
  const plaintext = Buffer.from(text);
  const body = row.keys === null ? plaintext : encryptMessage(plaintext, row.keys);
  return { url, headers, body };
}
