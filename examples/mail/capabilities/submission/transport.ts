/** A message for a mail server. */
export interface OutgoingMessage {
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  /** The message without its Bcc field. */
  readonly octets: Uint8Array;
  /** The same whenever the message is handed over again: a receiver may recognise it. */
  readonly id: string;
}

/** A reply of SMTP for each recipient. */
export type Replies = Readonly<Record<string, string>>;

/**
 * Hands a message to a mail server: this is the place of an SMTP library. If it throws, it is called
 * again with the same message. This example delivers nothing, and says so.
 */
export async function deliver(message: OutgoingMessage, _signal: AbortSignal): Promise<Replies> {
  const reply = '250 2.0.0 Kept: this server delivers nothing';
  return Object.fromEntries(message.recipients.map((email) => [email, reply]));
}
