import { type CachedClient, type CacheStore, connect, memory } from '@jmapsmith/client';
import { type Contender, LIMIT, type ListName, type Scene } from './contenders.js';
import { FakeServer } from './fake-server.js';
import { idOf, MIN_RANK, type ThingShape, type ThingsProject, things, WHOLE } from './things.js';

/** The client as a program has it, with a server that takes no time. */
export const ours: Contender = { open: (size) => openOurs(size, memory()) };

type Client = CachedClient<ThingsProject>;

export async function openOurs(size: number, store: CacheStore): Promise<OurScene> {
  const server = new FakeServer(size);
  const client: Client = await connect(things, { ...server.options, store, coverage: WHOLE });
  await client.sync.settled();
  return new OurScene(server, client);
}

const LISTS = {
  large: { filter: { minRank: MIN_RANK }, sort: ['title', '-rank'], limit: null },
  other: { filter: { minRank: MIN_RANK }, sort: ['rank', 'title'], limit: null },
  small: { filter: { done: true }, sort: ['title'], limit: LIMIT },
} as const;

export class OurScene implements Scene {
  readonly #server: FakeServer;
  readonly #client: Client;
  readonly #stops: (() => void)[] = [];
  #toldAt = 0;

  constructor(server: FakeServer, client: Client) {
    this.#server = server;
    this.#client = client;
  }

  show(name: ListName): Promise<number> {
    const list = this.#client.account().Thing.live(LISTS[name]);
    return new Promise((resolve) => {
      const stop = list.subscribe(({ rows, status }) => {
        this.#toldAt = performance.now();
        if (status === 'live') resolve(rows.length);
      });
      this.#stops.push(stop);
    });
  }

  async change(numbers: readonly number[]): Promise<number> {
    this.#server.change(numbers);
    let begun = performance.now();
    // The way of a single answer isn't counted; of several, the time between them is.
    if (numbers.length === 1) this.#server.answeredAt = 0;
    await this.#client.sync.settled();
    if (numbers.length === 1) begun = this.#server.answeredAt;
    return Math.max(this.#toldAt, begun) - begun;
  }

  async write(number: number, title: string): Promise<number> {
    const begun = performance.now();
    const patch: Partial<ThingShape['update']> = { title };
    this.#client.account().Thing.update(idOf(number), patch);
    const shown = performance.now() - begun;
    await this.#client.sync.settled();
    return shown;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#client.close();
  }
}
