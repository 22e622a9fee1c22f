import { type CachedClient, memory } from '@jmapsmith/client';
import { connect, type Project } from '../../../generated/client/index.js';
import { quantile } from '../../quantile.js';
import type { SyncFigures } from '../figures.js';
import { watch } from './tasks.js';

/**
 * Run as `node synced.mjs URL TOKEN OBJECTS CHANGES`, with a real server whose account has so many
 * objects; prints its figures.
 */

type Client = CachedClient<Project>;

/** Counts requests to the API. */
class Counter {
  count = 0;

  readonly fetch: typeof fetch = (input, init) => {
    if (init?.method === 'POST') this.count += 1;
    return fetch(input, init);
  };
}

async function measure(
  options: { readonly url: string; readonly token: string },
  [size = 0, changes = 0]: readonly number[],
): Promise<SyncFigures> {
  const counter = new Counter();
  const cached = {
    ...options,
    fetch: counter.fetch,
    store: memory(),
    coverage: { Todo: 'all' } as const,
  };
  let client: Client | null = null;
  const { total, longest } = await watch(async () => {
    client = await connect(cached);
    await client.sync.settled();
  });
  const opened = client as Client | null;
  if (opened === null) throw new Error('There is no client.');
  const { count: requests } = counter;
  const list = new Watcher(opened);
  await list.until(({ total, status }) => status === 'live' && total === size);
  const other = await connect(options);
  const waits: number[] = [];
  for (let n = 0; n < changes; n += 1) {
    const text = `change ${n}`;
    const shown = list.until(({ rows }) => rows[0]?.text === text);
    await other.account().Todo.set({ create: { k: { text } } });
    const answered = performance.now();
    // The answer may come behind the change.
    waits.push(Math.max(0, (await shown) - answered));
  }
  await Promise.all([opened.close(), other.close()]);
  return { first: total, requests, longest, elsewhere: quantile(waits, 0.5) };
}

type Snapshot = ReturnType<
  ReturnType<ReturnType<Client['account']>['Todo']['live']>['getSnapshot']
>;

/** The newest objects of a client. */
class Watcher {
  #look: (snapshot: Snapshot) => void = () => undefined;
  #last: Snapshot | null = null;

  constructor(client: Client) {
    client
      .account()
      .Todo.live({ sort: ['-created'], limit: 50 })
      .subscribe((snapshot) => {
        this.#last = snapshot;
        this.#look(snapshot);
      });
  }

  /** Resolves to the time when the list is as it should be. */
  until(isRight: (snapshot: Snapshot) => boolean): Promise<number> {
    return new Promise((resolve) => {
      this.#look = (snapshot) => {
        if (isRight(snapshot)) resolve(performance.now());
      };
      if (this.#last !== null) this.#look(this.#last);
    });
  }
}

const [url = '', token = '', ...sizes] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await measure({ url, token }, sizes.map(Number))));
