import { ALL_SHARDS } from '../../accounts/push-port.js';
import { endBefore } from '../../runtime/deadlines.js';
import { FairSlots } from '../../runtime/fair-slots.js';
import type { Log } from '../../runtime/log.js';
import { Seldom } from '../../runtime/seldom.js';
import { describeResult, isSuccess, reasonOf } from './deliver-news.js';
import type { PostResult } from './post.js';
import { type MessageOptions, prepareMessage } from './push-message.js';
import type { OwnShards, PushRow } from './sender-ports.js';

/** A subscription that waits for its verification. */
export interface VerifiableRow extends PushRow {
  readonly code: string;
}

/** The stored subscriptions that nobody has verified. */
export interface VerifierRows<Row extends VerifiableRow> {
  /** Resolves to one that no process has begun to verify; null where there is none of the id. */
  unverified(id: string): Promise<Row | null>;
  /**
   * Returns ids of subscriptions in shards that were created before a time, epoch ms, and that no
   * process has begun to verify, the oldest first. Without those that no key could sign for.
   */
  forgotten(before: number, shards: readonly number[]): Promise<readonly string[]>;
  /** Notes that the verification is being sent; false where another process has noted that. */
  beginVerification(id: string): Promise<boolean>;
  /** Stores how a verification went; `reason`: why it failed. */
  noteVerification(id: string, at: number, reason: string | null): Promise<void>;
}

export interface VerifierOptions<Row extends VerifiableRow> extends MessageOptions {
  readonly rows: VerifierRows<Row>;
  readonly shards: OwnShards;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Epoch ms. */
  readonly now: () => number;
  /** How often forgotten ones are looked for, ms. */
  readonly look?: number;
}

/** How long a push service keeps a verification for a device that isn't there, seconds. */
const TTL = 3600;
/** A subscription that its creator has not begun to verify for so long, ms, is another's task. */
const PATIENCE = 10_000;
/** Verifications at once, in all and to one host. */
const AT_ONCE = 64;
const OF_HOST = 4;
/** Verifications that may wait for their turn. */
const MAY_WAIT = 10_000;

/** How verifications ended since the start. */
export type VerificationCounts = Readonly<Record<'delivered' | 'failed', number>>;

/**
 * Sends a PushVerification to each new subscription (RFC 8620 7.2.2), once at most: it is noted
 * before it is sent. Where the process that created a subscription doesn't come to the note, the
 * one that serves its shard sends it.
 */
export class Verifier<Row extends VerifiableRow> {
  readonly #options: VerifierOptions<Row>;
  /** While the database is away each verification fails. */
  readonly #complaints = new Seldom(1);
  readonly #counts = { delivered: 0, failed: 0 };
  readonly #running = new Map<string, Promise<void>>();
  readonly #slots = new FairSlots({
    ...{ size: AT_ONCE, share: OF_HOST, mayWait: MAY_WAIT },
    errors: { full: () => new Later(), late: () => new Later(), closed: () => new Later() },
  });
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(options: VerifierOptions<Row>) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), options.look ?? PATIENCE);
    this.#timer.unref();
  }

  counts(): VerificationCounts {
    return { ...this.#counts };
  }

  /** A subscription was created by this process. Never rejects. */
  created(id: string): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const verifying = this.#verify(id)
      .catch((error: unknown) => this.#complain(error))
      .finally(() => this.#running.delete(id));
    this.#running.set(id, verifying);
    return verifying;
  }

  /** Begins no further verification, and waits for those that run, until a deadline at most. */
  async stop(deadline: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#slots.close();
    await endBefore(deadline, Promise.all(this.#running.values()));
  }

  async #look(): Promise<void> {
    const { rows, shards, now } = this.#options;
    try {
      const own = ALL_SHARDS.filter((shard) => shards.isMine(shard));
      const forgotten = await rows.forgotten(now() - PATIENCE, own);
      await Promise.all(forgotten.map((id) => this.created(id)));
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Verifies a subscription in its turn. Where it gets none in time, a later look finds it. */
  async #verify(id: string): Promise<void> {
    const row = await this.#options.rows.unverified(id);
    if (row === null) return;
    const { host } = new URL(row.url);
    const turn = performance.now() + PATIENCE;
    await this.#slots.run(host, turn, () => this.#verifyNow(row, host)).catch(ignoreLater);
  }

  async #verifyNow(row: Row, host: string): Promise<void> {
    const { rows } = this.#options;
    const { id } = row;
    const text = JSON.stringify({
      '@type': 'PushVerification',
      pushSubscriptionId: id,
      verificationCode: row.code,
    });
    const prepared = await prepareMessage(row, { text, ttl: TTL, topic: null }, this.#options);
    if ('kind' in prepared) {
      // Nothing is sent, so nothing is noted as sent: another process may have the key.
      await this.#settle(id, host, prepared);
    } else if (!this.#isStopped && (await rows.beginVerification(id))) {
      await this.#settle(id, host, await this.#options.poster.post({ ...prepared, isOnce: true }));
    }
  }

  async #settle(id: string, host: string, result: PostResult): Promise<void> {
    const { rows, log, now } = this.#options;
    const isSent = isSuccess(result);
    this.#counts[isSent ? 'delivered' : 'failed'] += 1;
    if (!isSent) {
      const fields = { id, host, ...describeResult(result) };
      log.info(fields, 'a push subscription could not be verified');
    }
    await rows.noteVerification(id, now(), isSent ? null : reasonOf(result));
  }

  #complain(err: unknown): void {
    const fields = this.#complaints.admit('verifying');
    if (fields !== null)
      this.#options.log.warn({ err, ...fields }, 'verifying push subscriptions failed');
  }
}

/** There was no turn in time, or the server stops. */
class Later extends Error {
  override readonly name = 'Later';
}

function ignoreLater(error: unknown): void {
  if (!(error instanceof Later)) throw error;
}
