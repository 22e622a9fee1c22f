import type { Contender, ListName, Scene } from './contenders.js';
import { idOf, MIN_RANK, makeThing, type Thing } from './things.js';

/** Plain JavaScript: a map of objects, and arrays that are sorted, by code unit. */
export const plain: Contender = { open: async (size) => new PlainScene(size) };

interface List {
  readonly match: (row: Thing) => boolean;
  readonly order: (one: Thing, other: Thing) => number;
  rows: Thing[];
}

const LISTS: Readonly<Record<ListName, Omit<List, 'rows'>>> = {
  large: {
    match: ({ rank }) => rank >= MIN_RANK,
    order: (one, other) =>
      compare(one.title, other.title) || other.rank - one.rank || compare(other.id, one.id),
  },
  other: {
    match: ({ rank }) => rank >= MIN_RANK,
    order: (one, other) =>
      one.rank - other.rank || compare(one.title, other.title) || compare(one.id, other.id),
  },
  small: { match: ({ done }) => done, order: (one, other) => compare(one.title, other.title) },
};

class PlainScene implements Scene {
  readonly #rows = new Map<string, Thing>();
  readonly #versions = new Map<number, number>();
  readonly #lists: List[] = [];

  constructor(size: number) {
    for (let number = 0; number < size; number += 1)
      this.#rows.set(idOf(number), makeThing(number));
  }

  async show(name: ListName): Promise<number> {
    const { match, order } = LISTS[name];
    const rows = [...this.#rows.values()].filter(match).sort(order);
    this.#lists.push({ match, order, rows });
    return rows.length;
  }

  async change(numbers: readonly number[]): Promise<number> {
    const changed = numbers.map((number) => {
      const version = (this.#versions.get(number) ?? 0) + 1;
      this.#versions.set(number, version);
      return makeThing(number, version);
    });
    const begun = performance.now();
    this.#take(changed);
    return performance.now() - begun;
  }

  write(number: number, title: string): number {
    const begun = performance.now();
    const before = this.#rows.get(idOf(number)) ?? makeThing(number);
    this.#take([{ ...before, title }]);
    return performance.now() - begun;
  }

  async close(): Promise<void> {
    this.#rows.clear();
  }

  #take(changed: readonly Thing[]): void {
    const rows = changed;
    const old = new Set(rows.map(({ id }) => this.#rows.get(id)));
    for (const row of rows) this.#rows.set(row.id, row);
    for (const list of this.#lists) {
      const added = rows.filter(list.match);
      // A single one goes to its place; many go in by one pass.
      if (rows.length === 1) replaceOne(list, [...old][0], added[0]);
      else {
        const kept = list.rows.filter((row) => !old.has(row));
        list.rows = [...kept, ...added].sort(list.order);
      }
    }
  }
}

function replaceOne({ rows, order }: List, old: Thing | undefined, row: Thing | undefined): void {
  if (old !== undefined) {
    const at = findPlace(rows, old, order);
    if (rows[at] === old) rows.splice(at, 1);
  }
  if (row !== undefined) rows.splice(findPlace(rows, row, order), 0, row);
}

function findPlace(rows: readonly Thing[], row: Thing, order: List['order']): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order(rows[middle] as Thing, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
