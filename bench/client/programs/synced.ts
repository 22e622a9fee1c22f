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
  const list = opened.account().Todo.live({ sort: ['-created'], limit: 50 });
  const found = list.getSnapshot().total;
  if (found !== size) throw new Error(`${found} objects were read.`);
  const other = await connect(options);
  const waits: number[] = [];
  for (let n = 0; n < changes; n += 1) waits.push(await timeChange(opened, other, `change ${n}`));
  await Promise.all([opened.close(), other.close()]);
  return { first: total, requests, longest, elsewhere: quantile(waits, 0.5) };
}

/** Writes as another client, and resolves to the time from the answer until a list shows it. */
async function timeChange(
  client: Client,
  other: Awaited<ReturnType<typeof connect<{ url: string; token: string }>>>,
  text: string,
): Promise<number> {
  const list = client.account().Todo.live({ sort: ['-created'], limit: 50 });
  let stop = (): void => undefined;
  const shown = new Promise<number>((resolve) => {
    stop = list.subscribe(({ rows }) => {
      if (rows[0]?.text === text) resolve(performance.now());
    });
  });
  await other.account().Todo.set({ create: { k: { text } } });
  const answered = performance.now();
  const at = await shown;
  stop();
  // The answer may come behind the change.
  return Math.max(0, at - answered);
}

const [url = '', token = '', ...sizes] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await measure({ url, token }, sizes.map(Number))));
