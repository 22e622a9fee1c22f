import type { TypeTable } from '../schema/tables.js';
import type { FlushCall } from './flush.js';
import { type Pull, pullCalls } from './pull.js';
import type { Sweep } from './sweep.js';
import { CALLS_OF_A_PULL, type SyncOptions } from './sync-options.js';
import { TypeReading } from './type-reading.js';

/** Calls of a page of a sweep. */
const CALLS_OF_A_SWEEP = 3;

/** How far the types of an account are read. */
export class Readings {
  readonly #options: SyncOptions;
  readonly #byName = new Map<string, TypeReading>();

  constructor(options: SyncOptions) {
    this.#options = options;
  }

  /** All that there have been. */
  get all(): readonly TypeReading[] {
    return [...this.#byName.values()];
  }

  /** The account's types, without the ones that the server refuses. */
  get current(): TypeReading[] {
    return this.#options
      .types()
      .map((table) => this.#of(table))
      .filter(({ isRefused }) => !isRefused);
  }

  /** How much is here of the types that are being read from their begin; null: unknown. */
  get progress(): number | null {
    const parts = this.all.flatMap(({ progress }) => progress ?? []);
    const sum = (name: 'loaded' | 'total') => parts.reduce((all, part) => all + part[name], 0);
    return parts.length === 0 ? null : Math.min(1, sum('loaded') / Math.max(1, sum('total')));
  }

  get(type: string): TypeReading | undefined {
    return this.#byName.get(type);
  }

  /** Begins to read the types that the account has now. Returns those that it gives up. */
  begin(): readonly TypeReading[] {
    const current = new Set(this.current);
    for (const reading of current) reading.begin();
    const others = this.all.filter((reading) => !current.has(reading));
    for (const reading of others) reading.stop();
    return others;
  }

  /**
   * Plans to ask for changes. Types that were written come first: their answers bring what the
   * writes have done besides. Then come those on screen.
   */
  planPulls(calls: readonly FlushCall[], room: number): ReadonlyMap<TypeReading, Pull> {
    const { maxObjectsInGet } = this.#options.limits();
    const written = new Set(calls.map(({ type }) => type));
    const due = this.current.filter(({ name, isDue }) => isDue || written.has(name));
    const isCrowded = due.length * CALLS_OF_A_PULL > room;
    const rank = ({ name }: TypeReading) => (written.has(name) ? 0 : this.#rank(name));
    due.sort((one, other) => rank(one) - rank(other));
    const pulls = new Map<TypeReading, Pull>();
    let left = room;
    for (const reading of due) {
      const pull = reading.plan(maxObjectsInGet, isCrowded && !written.has(reading.name));
      left -= pull === null ? 0 : pullCalls(pull).length;
      if (pull !== null && left >= 0) pulls.set(reading, pull);
    }
    return pulls;
  }

  /** Plans pages of sweeps. */
  planSweeps(room: number): ReadonlyMap<TypeReading, Sweep> {
    const sweeps = this.all
      .flatMap((reading) => (reading.sweep === null ? [] : [[reading, reading.sweep] as const]))
      .sort(([one], [other]) => this.#rank(one.name) - this.#rank(other.name));
    return new Map(sweeps.slice(0, Math.floor(room / CALLS_OF_A_SWEEP)));
  }

  #rank(type: string): number {
    return this.#options.isShown?.(type) ? 1 : 2;
  }

  #of(table: TypeTable): TypeReading {
    const known = this.#byName.get(table.name);
    if (known !== undefined) return known;
    const made = new TypeReading(table, this.#options);
    this.#byName.set(table.name, made);
    return made;
  }
}
