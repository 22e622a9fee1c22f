import { type CachedClient, connect } from '@jmapsmith/client';
import { indexedDb } from '@jmapsmith/client/indexeddb';
import { quantile } from '../../quantile.js';
import type { BenchPage } from '../figures.js';
import { FakeServer } from './fake-server.js';
import { measureSaved } from './saved.js';
import { watch } from './tasks.js';
import { MIN_RANK, type ThingsProject, things, WHOLE } from './things.js';

type Client = CachedClient<ThingsProject>;

function open(size: number, server = new FakeServer(size)): Promise<Client> {
  const { options } = server;
  return connect(things, { ...options, store: indexedDb(), username: 'bench', coverage: WHOLE });
}

/** Resolves to the time when a list has so many rows; null: all. */
function shownAt(client: Client, limit: number | null): Promise<number> {
  const list = client.account().Thing.live({
    filter: { minRank: MIN_RANK },
    sort: ['title', '-rank'],
    limit,
  });
  return new Promise((resolve) => {
    const stop = list.subscribe(({ rows, complete, status }) => {
      const isThere = limit === null ? complete && status !== 'loading' : rows.length >= limit;
      if (!isThere) return;
      // A list that is there at once calls before there is a way to stop.
      queueMicrotask(() => stop());
      resolve(performance.now());
    });
  });
}

/** The client of this tab, and when its list has shown each further object. */
let tab: { readonly client: Client; readonly shownAt: number[] } | null = null;

/** Returns a time that other tabs have, too: ms since 1970. */
const now = (): number => performance.timeOrigin + performance.now();

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const page: BenchPage = {
  async measureSaved(count) {
    return quantile(await measureSaved(indexedDb(), count), 0.5);
  },
  async fill(size) {
    const client = await open(size);
    await client.sync.settled();
    await shownAt(client, 50);
    await client.close();
  },
  async start(size) {
    let [first, all] = [0, 0];
    const begun = performance.now();
    const { longest } = await watch(async () => {
      const client = await open(size);
      first = (await shownAt(client, 50)) - begun;
      all = (await shownAt(client, null)) - begun;
      await client.close();
    });
    return { first, all, longest };
  },
  async openOffline() {
    const server = new FakeServer(0);
    const client = await open(0, server);
    await client.sync.settled();
    server.isAway = true;
    const shownAt: number[] = [];
    client
      .account()
      .Thing.live()
      .subscribe(({ rows }) => {
        while (shownAt.length < rows.length) shownAt.push(now());
      });
    tab = { client, shownAt };
  },
  async write(count) {
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      times.push(now());
      tab?.client.account().Thing.create({ title: `Thing ${n}` });
      await pause(50);
    }
    return times;
  },
  async shown(count) {
    while (tab !== null && tab.shownAt.length < count) await pause(10);
    return tab?.shownAt ?? [];
  },
};

Object.assign(globalThis, { benchPage: page });
