import type { Log } from '../../runtime/log.js';
import { describeResult, isSuccess, reasonOf } from './deliver-news.js';
import { type MessageOptions, sendMessage } from './push-message.js';
import type { OwnShards, PushRow } from './sender-ports.js';

/** A subscription that waits for its verification. */
export interface VerifiableRow extends PushRow {
  readonly code: string;
}

/** The stored subscriptions that nobody has verified. */
export interface VerifierRows<Row extends VerifiableRow> {
  /** Resolves to one that no process has begun to verify; null where there is none of the id. */
  unverified(id: string): Promise<Row | null>;
  /** Returns those that no process has begun to verify since a time, epoch ms. */
  forgotten(before: number): Promise<readonly { readonly id: string; readonly shard: number }[]>;
  /** Notes that the verification is being sent; false where another process has noted that. */
  beginVerification(id: string, told: string): Promise<boolean>;
  /** Stores how a verification went; `reason`: why it failed. */
  noteVerification(id: string, at: number, reason: string | null): Promise<void>;
}

export interface VerifierOptions<Row extends VerifiableRow> extends MessageOptions {
  readonly rows: VerifierRows<Row>;
  /** Resolves to the id of the present states of a subscription's token; null: it has ended. */
  readonly presentStates: (row: Row) => Promise<string | null>;
  readonly shards: OwnShards;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Epoch ms. */
  readonly now: () => number;
  /** How often forgotten ones are looked for, ms. */
  readonly look?: number;
}

/** How long a push service keeps a verification for a device that isn't there, seconds. */
const TTL = 3600;
/** A subscription that its creator has not begun to verify for so long, ms, is another's task. */
const PATIENCE = 10_000;

/**
 * Sends a PushVerification to each new subscription (RFC 8620 7.2.2), once at most: it is noted
 * before it is sent. Where the process that created a subscription is killed before the note, the
 * one that serves its shard sends it.
 */
export class Verifier<Row extends VerifiableRow> {
  readonly #options: VerifierOptions<Row>;
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(options: VerifierOptions<Row>) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), options.look ?? PATIENCE);
    this.#timer.unref();
  }

  /** A subscription was created by this process. Never rejects. */
  created(id: string): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const verifying = this.#verify(id)
      .catch((error: unknown) => this.#complain(error))
      .finally(() => this.#running.delete(verifying));
    this.#running.add(verifying);
    return verifying;
  }

  /** Begins no further verification, and waits for those that run. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const { rows, shards, now } = this.#options;
    try {
      const forgotten = await rows.forgotten(now() - PATIENCE);
      const own = forgotten.filter(({ shard }) => shards.isMine(shard));
      await Promise.all(own.map(({ id }) => this.created(id)));
    } catch (error) {
      this.#complain(error);
    }
  }

  async #verify(id: string): Promise<void> {
    const { rows, presentStates, log, now } = this.#options;
    const row = await rows.unverified(id);
    const told = row && (await presentStates(row));
    if (row === null || told === null || !(await rows.beginVerification(id, told))) return;
    const text = JSON.stringify({
      '@type': 'PushVerification',
      pushSubscriptionId: id,
      verificationCode: row.code,
    });
    const result = await sendMessage(row, { text, ttl: TTL, topic: null }, this.#options);
    const isSent = isSuccess(result);
    await rows.noteVerification(id, now(), isSent ? null : reasonOf(result));
    if (isSent) return;
    const fields = { id, host: new URL(row.url).host, ...describeResult(result) };
    log.info(fields, 'a push subscription could not be verified');
  }

  #complain(error: unknown): void {
    this.#options.log.error({ err: error }, 'verifying push subscriptions failed');
  }
}
