import type { DataTypeDefinition } from '../capability/definition.js';
import type { Duplicate } from '../database/duplicate-search.js';
import type { UniqueCheck } from '../database/migrations.js';
import type { Logger } from './logging.js';

const DAY = 86_400_000;
/** Lines for a few accounts in one round; the next round goes on. */
const LINES = 100;
const DUPLICATE =
  'objects have the same value, which must be unique; change or destroy all but one';

interface DuplicatesOptions {
  readonly types: Iterable<DataTypeDefinition>;
  find(check: UniqueCheck): AsyncIterable<readonly Duplicate[]>;
  /** Resolves to objects that keep a text because another one has its normal form. */
  kept(): Promise<readonly { readonly table: string }[]>;
  /** The previous version may serve beside this one. */
  readonly shared: boolean;
  /** Resolves to when the newest migration was applied, epoch ms. */
  migrated(): Promise<number>;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Looks for objects with the same values where none may have them. The previous version knows
 * nothing of a new `unique`, so it may create them while both serve. Nobody else can: each /set is
 * judged.
 */
export class Duplicates {
  readonly #options: DuplicatesOptions;
  readonly #checks: readonly UniqueCheck[];
  /** By table: how many values several objects had at the last look. */
  #found: ReadonlyMap<string, number> = new Map();
  readonly #counts = new Map<string, number>();
  #told: ReadonlySet<string> = new Set();
  #looked = Number.NEGATIVE_INFINITY;

  constructor(options: DuplicatesOptions) {
    this.#options = options;
    this.#checks = [...options.types].flatMap(uniquesOf);
  }

  /** By type that has something unique: how many values several objects had at the last look. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Looks, and logs what is new, unless a look would be in vain. */
  async look(stopped: () => boolean): Promise<void> {
    const { now, kept } = this.#options;
    if (this.#checks.length === 0) return;
    const at = now();
    if (await this.#isDue(at)) await this.#search(at, stopped);
    const counts = new Map(this.#found);
    for (const { table } of await kept()) counts.set(table, (counts.get(table) ?? 0) + 1);
    for (const { table, type = table } of this.#checks)
      this.#counts.set(type, counts.get(table) ?? 0);
  }

  async #search(at: number, stopped: () => boolean): Promise<void> {
    const counts = new Map<string, number>();
    const told = new Set<string>();
    for (const check of this.#checks) {
      for await (const found of this.#options.find(check)) {
        if (stopped()) return;
        this.#tell(found, told);
        counts.set(check.table, (counts.get(check.table) ?? 0) + found.length);
      }
    }
    this.#found = counts;
    this.#told = told;
    this.#looked = at;
  }

  /** New ones come within a day after a migration. Otherwise one look a day is enough. */
  async #isDue(at: number): Promise<boolean> {
    if (!this.#options.shared) return false;
    if (this.#looked < at - DAY || this.#told.size > 0) return true;
    return (await this.#options.migrated()) >= at - DAY;
  }

  #tell(found: readonly Duplicate[], told: Set<string>): void {
    let lines = 0;
    for (const duplicate of found) {
      const key = JSON.stringify(duplicate);
      const isKnown = this.#told.has(key);
      if (!isKnown && lines === LINES) continue;
      told.add(key);
      if (isKnown) continue;
      lines += 1;
      const { type, property, accountId: account, ids: objects, count } = duplicate;
      this.#options.log.warn({ type, property, account, objects, count }, DUPLICATE);
    }
  }
}

function uniquesOf({ name: type, table, uniques = [] }: DataTypeDefinition): UniqueCheck[] {
  return uniques.map(({ properties, nullsEqual }) => ({
    ...{ table, type },
    name: properties.map(({ name }) => name).join('+'),
    columns: properties.map(({ column }) => column),
    ...(nullsEqual === undefined ? {} : { nullsEqual }),
  }));
}
