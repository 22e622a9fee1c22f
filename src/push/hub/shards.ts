import { ALL_SHARDS, SHARDS } from '../../accounts/push-port.js';
import { endBefore } from '../../runtime/deadlines.js';
import type { Shards } from './hub.js';

/** How long others wait at most for shards that are given up, ms. */
const HAND_OVER = 2000;
/** After so many rounds with the same peers what they have left is taken beyond one's share. */
const SETTLED = 3;

/** Where shards are taken. Its promises reject where it can't be reached. */
export interface ShardLocks {
  /** Takes those of the shards that nobody has. Resolves to them. */
  takeShards(shards: readonly number[]): Promise<readonly number[]>;
  releaseShards(shards: readonly number[]): Promise<void>;
}

/**
 * The shards that this process holds: its share of all, so that the processes divide them. It gives
 * some up where it has too many, and takes free ones where it has too few. It also takes shards
 * that stay free though nobody comes or goes: a process that is heard may be unable to take any.
 */
export class HeldShards implements Shards {
  readonly #peers: () => number;
  readonly #mine = new Set<number>();
  readonly #listeners: (() => void | Promise<void>)[] = [];
  #locks: ShardLocks | null = null;
  /** `performance.now()` until which what was taken is known to be this process's. */
  #until = Number.NEGATIVE_INFINITY;
  #rounds = 0;
  #running: Promise<void> | null = null;
  #again = false;

  /** `peers` returns how many other processes there are. */
  constructor(peers: () => number) {
    this.#peers = peers;
  }

  get count(): number {
    return performance.now() < this.#until ? this.#mine.size : 0;
  }

  isMine(shard: number): boolean {
    return this.#mine.has(shard) && performance.now() < this.#until;
  }

  onChange(listener: () => void | Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Shards that are held stay so until then, `performance.now()`. */
  extend(until: number): void {
    const wasOver = performance.now() >= this.#until;
    this.#until = until;
    // A listener that was told meanwhile of another change has let go of all of them.
    if (wasOver && this.#mine.size > 0) void this.#tell();
  }

  /** Takes shards from `locks` from now on; null: all that were held are lost. */
  use(locks: ShardLocks | null): void {
    this.#locks = locks;
    this.#rounds = 0;
    if (locks === null) this.lose([...this.#mine]);
    else this.round();
  }

  /** These are held no more. Returns whether any was. */
  lose(shards: readonly number[]): boolean {
    let isChanged = false;
    for (const shard of shards) isChanged = this.#mine.delete(shard) || isChanged;
    if (isChanged) void this.#tell();
    return isChanged;
  }

  /** A process has come, has come back, or is gone. */
  peersChanged(): void {
    this.#rounds = 0;
    this.#run();
  }

  /** Looks what is free; to be called now and then. */
  round(): void {
    this.#rounds += 1;
    this.#run();
  }

  /** Gives all up. */
  async end(): Promise<void> {
    const locks = this.#locks;
    const shards = [...this.#mine];
    this.use(null);
    await this.#running;
    if (shards.length > 0) await locks?.releaseShards(shards).catch(() => undefined);
  }

  #run(): void {
    this.#again = true;
    this.#running ??= this.#balance().finally(() => {
      this.#running = null;
    });
  }

  async #balance(): Promise<void> {
    while (this.#again && this.#locks !== null) {
      this.#again = false;
      const locks = this.#locks;
      const fair = Math.ceil(SHARDS / (this.#peers() + 1));
      const share = this.#rounds > SETTLED ? SHARDS : fair;
      try {
        await this.#giveUp(locks, share);
        await this.#take(locks, share);
      } catch {
        // The owner of the locks ends where it can't be reached: `use` or the end of the time
        // follows.
      }
    }
  }

  async #giveUp(locks: ShardLocks, share: number): Promise<void> {
    const excess = [...this.#mine].slice(share);
    if (excess.length === 0) return;
    // First nothing is served by them, then others may.
    for (const shard of excess) this.#mine.delete(shard);
    await endBefore(performance.now() + HAND_OVER, this.#tell());
    await locks.releaseShards(excess);
  }

  async #take(locks: ShardLocks, share: number): Promise<void> {
    const others = shuffled([...ALL_SHARDS]).filter((shard) => !this.#mine.has(shard));
    while (this.#mine.size < share && others.length > 0 && !this.#again) {
      const more = await locks.takeShards(others.splice(0, share - this.#mine.size));
      if (locks !== this.#locks) {
        await locks.releaseShards(more);
        return;
      }
      for (const shard of more) this.#mine.add(shard);
      if (more.length > 0) void this.#tell();
    }
  }

  async #tell(): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener()));
  }
}

/** Processes that look at the same moment must not all ask for the same. */
function shuffled(shards: number[]): number[] {
  for (let last = shards.length - 1; last > 0; last -= 1) {
    const at = Math.floor(Math.random() * (last + 1));
    [shards[last], shards[at]] = [shards[at] ?? 0, shards[last] ?? 0];
  }
  return shards;
}
