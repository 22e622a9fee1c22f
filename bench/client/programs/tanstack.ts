import {
  type Collection,
  createCollection,
  createLiveQueryCollection,
  eq,
  gte,
} from '@tanstack/db';
import { type Contender, LIMIT, type ListName, type Scene } from './contenders.js';
import { nextTask } from './tasks.js';
import { idOf, MIN_RANK, makeThing, type Thing } from './things.js';

/** TanStack DB with its default settings. */
export const tanstack: Contender = {
  open: async (size) => {
    const scene = new TanstackScene(size);
    await scene.load();
    return scene;
  },
};

interface Sync {
  begin(): void;
  write(message: { readonly type: 'insert' | 'update'; readonly value: Thing }): void;
  commit(): void;
}

class TanstackScene implements Scene {
  readonly #size: number;
  readonly #versions = new Map<number, number>();
  readonly #things: Collection<Thing, string>;
  readonly #lists: { cleanup(): Promise<void> }[] = [];
  #sync: Sync | null = null;
  #toldAt = 0;

  constructor(size: number) {
    this.#size = size;
    this.#things = createCollection<Thing, string>({
      getKey: ({ id }) => id,
      sync: {
        sync: ({ begin, write, commit, markReady }) => {
          this.#sync = { begin, write, commit };
          begin();
          for (let number = 0; number < this.#size; number += 1)
            write({ type: 'insert', value: makeThing(number) });
          commit();
          markReady();
        },
        rowUpdateMode: 'full',
      },
      onUpdate: async () => undefined,
    });
  }

  async load(): Promise<void> {
    await this.#things.preload();
  }

  async show(name: ListName): Promise<number> {
    const list = createLiveQueryCollection((query) => {
      const all = query.from({ thing: this.#things });
      if (name === 'small')
        return all
          .where(({ thing }) => eq(thing.done, true))
          .orderBy(({ thing }) => thing.title)
          .limit(LIMIT);
      const most = all.where(({ thing }) => gte(thing.rank, MIN_RANK));
      return name === 'large'
        ? most.orderBy(({ thing }) => thing.title).orderBy(({ thing }) => thing.rank, 'desc')
        : most.orderBy(({ thing }) => thing.rank).orderBy(({ thing }) => thing.title);
    });
    await list.preload();
    list.subscribeChanges(() => {
      this.#toldAt = performance.now();
    });
    this.#lists.push(list);
    return list.toArray.length;
  }

  async change(numbers: readonly number[]): Promise<number> {
    const changed = numbers.map((number) => {
      const version = (this.#versions.get(number) ?? 0) + 1;
      this.#versions.set(number, version);
      return makeThing(number, version);
    });
    const begun = performance.now();
    this.#sync?.begin();
    for (const value of changed) this.#sync?.write({ type: 'update', value });
    this.#sync?.commit();
    const committed = performance.now();
    await nextTask();
    // Where no list has the object, nobody is told.
    return (this.#toldAt >= begun ? this.#toldAt : committed) - begun;
  }

  write(number: number, title: string): number {
    const begun = performance.now();
    this.#things.update(idOf(number), (draft) => {
      (draft as { title: string }).title = title;
    });
    return performance.now() - begun;
  }

  async close(): Promise<void> {
    for (const list of this.#lists) await list.cleanup();
    await this.#things.cleanup();
  }
}
