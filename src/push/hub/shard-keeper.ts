import { ALL_SHARDS } from '../../accounts/push-port.js';
import type { HeldShards, ShardLocks } from './shards.js';

/** Shards that processes hold for a time, by the clock of the database. */
export interface ShardLeases extends ShardLocks {
  /**
   * Holds shards for longer, and says that this process is there. `term`: another number after its
   * leases have run out.
   */
  renew(shards: readonly number[], term: number): Promise<Renewal>;
  /** Takes back that this process is there. */
  leave(): Promise<void>;
}

export interface Renewal {
  /** Those of the shards that this process still holds. */
  readonly kept: readonly number[];
  /** Names of the other processes that are there, each with its term. */
  readonly others: readonly string[];
}

/** Makes the leases of a process; `lease`: how long one lasts unless it is renewed, ms. */
export type LeaseMaker = (origin: string, lease: number) => ShardLeases;

export interface LeaseTimes {
  /** How long shards are held unless it is renewed, ms. */
  readonly lease: number;
  /** How often it is renewed, ms. */
  readonly renewal: number;
}

export const LEASE_TIMES: LeaseTimes = { lease: 20_000, renewal: 5000 };

/** Holds shards by leases, from `start` to `stop`: where no session can hold locks. */
export class ShardKeeper {
  readonly #shards: HeldShards;
  readonly #leases: ShardLeases;
  readonly #times: LeaseTimes;
  #others: readonly string[] = [];
  /** Counts how often leases ran out. The others see it, and give up what is beyond their share. */
  #term = 0;
  #isUsed = false;
  #timer: NodeJS.Timeout | null = null;
  #renewing: Promise<void> | null = null;

  constructor(shards: HeldShards, leases: ShardLeases, times: LeaseTimes) {
    this.#shards = shards;
    this.#leases = leases;
    this.#times = times;
  }

  get isOn(): boolean {
    return this.#timer !== null;
  }

  /** Other processes that hold shards by leases, or could. */
  get others(): number {
    return this.#others.length;
  }

  start(): void {
    if (this.isOn) return;
    this.#isUsed = false;
    this.#timer = setInterval(() => this.#renew(), this.#times.renewal).unref();
    this.#renew();
  }

  /** Gives all up. Resolves when the others may have it. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    const ended = this.#shards.end();
    await this.#renewing;
    await ended;
    // Where the database is away the leases end by themselves.
    await this.#leases.leave().catch(() => undefined);
  }

  #renew(): void {
    this.#renewing ??= this.#renewShards().finally(() => {
      this.#renewing = null;
    });
  }

  async #renewShards(): Promise<void> {
    const begun = performance.now();
    const term = this.#term;
    const held = ALL_SHARDS.filter((shard) => this.#shards.isMine(shard));
    // Shards whose lease has run out are nobody's, and others may have them.
    this.#lose(ALL_SHARDS.filter((shard) => !held.includes(shard)));
    let renewal: Renewal;
    try {
      renewal = await this.#leases.renew(held, this.#term);
    } catch {
      // The database is away, which the server's own calls tell of; the lease runs out.
      return;
    }
    if (!this.isOn) return;
    const { kept, others } = renewal;
    // First: where the time was over, those who are told of the loss would let go of the rest.
    this.#shards.extend(begun + this.#times.lease);
    this.#lose(held.filter((shard) => !kept.includes(shard)));
    const isChanged = others.join() !== this.#others.join() || term !== this.#term;
    this.#others = others;
    if (!this.#isUsed) this.#shards.use(this.#leases);
    else if (isChanged) this.#shards.peersChanged();
    else this.#shards.round();
    this.#isUsed = true;
  }

  #lose(shards: readonly number[]): void {
    if (this.#shards.lose(shards)) this.#term += 1;
  }
}
