import { randomBytes } from 'node:crypto';
import { ALL_SHARDS } from '../../accounts/push-port.js';
import type { Hub } from './hub.js';
import { HubReports } from './hub-reports.js';
import { HeldShards, type ShardLocks } from './shards.js';

/** Shards that processes hold for a time, by the clock of the database. */
export interface ShardLeases extends ShardLocks {
  /** Holds shards for longer, and says that this process is there. */
  renew(shards: readonly number[]): Promise<Renewal>;
  /** Takes back that this process is there. */
  leave(): Promise<void>;
}

export interface Renewal {
  /** Those of the shards that this process still holds. */
  readonly kept: readonly number[];
  /** Other processes that are there. */
  readonly others: number;
}

export interface PollTimes {
  /** How long shards are held unless it is renewed, ms. */
  readonly lease: number;
  /** How often it is renewed, ms. */
  readonly renewal: number;
}

export const POLL_TIMES: PollTimes = { lease: 20_000, renewal: 5000 };

export interface PollHubOptions {
  /** ms between two comparisons. */
  readonly interval: number;
  readonly leases: (origin: string, lease: number) => ShardLeases;
  readonly times?: PollTimes;
}

/**
 * Opens the hub of a server that can't LISTEN, because a pooler shares its sessions: it tells and
 * hears nothing, and has all compared each `interval`. Shards are rows with an end instead of locks
 * of a session.
 */
export function openPollHub(options: PollHubOptions): Hub {
  return new PollHub(options);
}

class PollHub implements Hub {
  readonly shards = new HeldShards(() => this.#others);
  readonly #reports = new HubReports(0);
  readonly #leases: ShardLeases;
  readonly #times: PollTimes;
  readonly #timers: NodeJS.Timeout[];
  #others = 0;
  #isUsed = false;
  #renewing: Promise<void> | null = null;
  #isClosed = false;

  constructor({ interval, leases, times = POLL_TIMES }: PollHubOptions) {
    this.#times = times;
    this.#leases = leases(randomBytes(12).toString('base64url'), times.lease);
    this.#timers = [
      setInterval(() => this.#reports.doubt('poll'), interval).unref(),
      setInterval(() => this.#renew(), times.renewal).unref(),
    ];
    this.#renew();
  }

  publish(): void {
    // The others compare by themselves.
  }

  announceSubscription(): void {
    // Its process finds it when it compares.
  }

  listen(listener: Parameters<Hub['listen']>[0]): void {
    this.#reports.listen(listener);
  }

  counts(): ReturnType<Hub['counts']> {
    const { count: shards } = this.shards;
    return { listen: 0, peers: this.#others, shards, ...this.#reports.counts() };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#reports.end();
    await this.#renewing;
    await this.shards.end();
    // Where the database is away the lease ends by itself.
    await this.#leases.leave().catch(() => undefined);
  }

  #renew(): void {
    this.#renewing ??= this.#renewShards().finally(() => {
      this.#renewing = null;
    });
  }

  async #renewShards(): Promise<void> {
    const begun = performance.now();
    const held = ALL_SHARDS.filter((shard) => this.shards.isMine(shard));
    // Shards whose lease has run out are nobody's, and others may have them.
    this.shards.lose(ALL_SHARDS.filter((shard) => !held.includes(shard)));
    let renewal: Renewal;
    try {
      renewal = await this.#leases.renew(held);
    } catch {
      // The database is away, which the server's own calls tell of; the lease runs out.
      return;
    }
    if (this.#isClosed) return;
    const { kept, others } = renewal;
    this.shards.lose(held.filter((shard) => !kept.includes(shard)));
    this.shards.extend(begun + this.#times.lease);
    const isChanged = others !== this.#others;
    this.#others = others;
    if (!this.#isUsed) this.shards.use(this.#leases);
    else if (isChanged) this.shards.peersChanged();
    else this.shards.round();
    this.#isUsed = true;
  }
}
