import { setImmediate } from 'node:timers/promises';
import { ALL_SHARDS } from '../../accounts/push-port.js';
import type { OwnShards, PushRow, PushRows } from './sender-ports.js';
import { Served, type ServedListener } from './served.js';

/** Missing subscriptions that are loaded at once. */
const COMPARED = 500;

export interface RosterOptions<Row extends PushRow> {
  readonly rows: Pick<PushRows<Row>, 'load' | 'listServed' | 'read'>;
  readonly shards: OwnShards;
  /** Gets ready to open the channels of all these rows: one after the other would cost more. */
  readonly prepare: ((rows: readonly Row[]) => Promise<void>) | undefined;
  /** After the database has failed, ms. */
  readonly retry: number;
  readonly listener: ServedListener;
  /** A subscription is served from now on. */
  readonly entered: (served: Served, row: Row) => Promise<void>;
  /** One that is served may have changed. */
  readonly changed: (served: Served) => void;
  readonly onError: (error: unknown) => void;
}

/** The subscriptions that this process serves: the verified ones of its shards. */
export class Roster<Row extends PushRow> {
  readonly #options: RosterOptions<Row>;
  readonly #served = new Map<string, Served>();
  #shards: ReadonlySet<number> = new Set();
  /** Ids that are loaded in the next turn of the event loop, together. */
  #next: { readonly ids: Set<string>; readonly loaded: Promise<void> } | null = null;
  #isClosed = false;

  constructor(options: RosterOptions<Row>) {
    this.#options = options;
  }

  get size(): number {
    return this.#served.size;
  }

  /** Follows the shards of the process, whichever these are. */
  start(): Promise<void> {
    this.#options.shards.onChange(() => void this.#takeShards());
    return this.#takeShards();
  }

  all(): Iterable<Served> {
    return this.#served.values();
  }

  find(id: string): Served | undefined {
    return this.#served.get(id);
  }

  /** Loads a subscription, and serves it where its shard is this process's. */
  add(id: string): Promise<void> {
    this.#next ??= this.#gather();
    this.#next.ids.add(id);
    return this.#next.loaded;
  }

  /**
   * Looks for subscriptions that this process should serve, and for changes and ends of those that
   * it serves: their announcement may be lost.
   */
  async compare(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const before = [...this.#served.values()];
      const rows = await this.#options.rows.listServed([...this.#shards]);
      const listed = new Set(rows.map(({ id }) => id));
      await this.#dropEnded(before.filter(({ id }) => !listed.has(id)));
      for (const row of rows) {
        const served = this.#served.get(row.id);
        if (served?.hasOtherTypes(row) === true) this.#options.changed(served);
      }
      const missing = rows.map(({ id }) => id).filter((id) => !this.#served.has(id));
      for (let from = 0; from < missing.length; from += COMPARED)
        await this.#load({ ids: missing.slice(from, from + COMPARED) });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Serves one no more. */
  drop(served: Served): void {
    served.end();
    if (this.#served.get(served.id) === served) this.#served.delete(served.id);
  }

  /** Takes no further ones. */
  close(): void {
    this.#isClosed = true;
  }

  async #dropEnded(missing: readonly Served[]): Promise<void> {
    if (missing.length === 0) return;
    // The look also destroys the expired ones: a clock that is set back must not bring them back.
    const living = await this.#options.rows.read(missing.map(({ id }) => id));
    const ids = new Set(living.map(({ id }) => id));
    for (const served of missing) if (!ids.has(served.id)) this.#options.listener.ended(served);
  }

  #takeShards(): Promise<void> {
    const { shards } = this.#options;
    const own = new Set(ALL_SHARDS.filter((shard) => shards.isMine(shard)));
    const gained = [...own].filter((shard) => !this.#shards.has(shard));
    this.#shards = own;
    for (const served of this.#served.values()) if (!own.has(served.shard)) this.drop(served);
    return gained.length === 0 ? Promise.resolve() : this.#load({ shards: gained });
  }

  #gather(): { readonly ids: Set<string>; readonly loaded: Promise<void> } {
    const ids = new Set<string>();
    const loaded = setImmediate().then(() => {
      this.#next = null;
      return this.#load({ ids: [...ids] });
    });
    return { ids, loaded };
  }

  /** Loads one part after the other. Where the reading fails, all is read again later. */
  async #load(which: Parameters<PushRows['load']>[0]): Promise<void> {
    if (this.#isClosed) return;
    try {
      for await (const part of this.#options.rows.load(which)) {
        await this.#options.prepare?.(part);
        await Promise.all(part.map((row) => this.#enter(row)));
      }
    } catch (error) {
      this.#options.onError(error);
      setTimeout(() => void this.#load(which), this.#options.retry).unref();
    }
  }

  async #enter(row: Row): Promise<void> {
    if (!this.#shards.has(row.shard) || this.#isClosed) return;
    const known = this.#served.get(row.id);
    if (known !== undefined) {
      this.#options.changed(known);
      return;
    }
    const served = new Served(row, this.#options.listener);
    this.#served.set(row.id, served);
    await this.#options.entered(served, row);
  }
}
