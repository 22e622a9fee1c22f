import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memory } from '../../src/persist/memory.js';
import type { OpenStore, Store } from '../../src/persist/port.js';
import { FencedError } from '../../src/persist/store-errors.js';
import { LeaseRoles } from '../../src/tabs/lease-roles.js';
import { LockRoles } from '../../src/tabs/lock-roles.js';
import type { Channel, Tabs } from '../../src/tabs/roles.js';
import { openTabs } from '../../src/tabs/tabs.js';
import { Channels, freezeWith, Ice, Locks } from './doubles.js';

interface Tab {
  readonly tabs: Tabs<string>;
  readonly store: OpenStore;
  readonly ice: Ice;
}

const opened: Tab[] = [];
let channels: Channels;
let locks: Locks | null;
let stores: Store;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  channels = new Channels();
  stores = memory();
});
afterEach(async () => {
  const closed = opened.splice(0).map(({ tabs, ice }) => {
    ice.thaw();
    return tabs.close();
  });
  await pass(10_000);
  await Promise.all(closed);
  vi.useRealTimers();
});

async function openTab(): Promise<Tab> {
  const ice = new Ice();
  const store = freezeWith(ice, await stores.open('n'));
  const tabs = openWith(store, channels.open(ice));
  const tab = { tabs, store, ice };
  opened.push(tab);
  return tab;
}

function openWith(store: OpenStore, channel: Channel): Tabs<string> {
  const roles = locks === null ? new LeaseRoles(store) : new LockRoles('n', locks, channel);
  return openTabs<string>({ name: 'n', store, roles, channel });
}

/** Lets all timers of this time run. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

/** Work that lasts until the test ends it. */
class Job {
  /** Null before it begins. */
  signal: AbortSignal | null = null;
  readonly outcome: Promise<unknown>;
  #end: (() => void) | null = null;

  constructor({ tabs }: Tab, role: 'sync' | 'push' = 'sync') {
    const work = (signal: AbortSignal): Promise<string> => {
      this.signal = signal;
      return new Promise((resolve, reject) => {
        this.#end = () => resolve('done');
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    this.outcome = tabs.runExclusive(role, work).catch(({ name }: Error) => name);
  }

  get isRunning(): boolean {
    return this.signal?.aborted === false;
  }

  async end(): Promise<unknown> {
    this.#end?.();
    const outcome = await this.outcome;
    this.signal = null;
    return outcome;
  }
}

describe.each([
  ['Web Locks', () => new Locks()],
  ['rows of the store', () => null],
])('roles by %s', (_, makeLocks) => {
  beforeEach(() => {
    locks = makeLocks();
  });

  it('are of one tab at a time, however long its work lasts', async () => {
    const all = [await openTab(), await openTab(), await openTab()];
    const jobs = all.map((tab) => new Job(tab));
    for (let rest = jobs.length; rest > 0; rest -= 1) {
      await pass(60_000);
      const running = jobs.filter(({ isRunning }) => isRunning);
      expect(running).toHaveLength(1);
      expect(await running[0]?.end()).toBe('done');
    }
  });

  it('are apart from each other', async () => {
    const [one, other] = [await openTab(), await openTab()];
    const [sync, push] = [new Job(one, 'sync'), new Job(other, 'push')];
    await pass(60_000);
    expect([sync.isRunning, push.isRunning]).toEqual([true, true]);
  });

  it('are free after work that rejects', async () => {
    const [one, other] = [await openTab(), await openTab()];
    const failed = one.tabs.runExclusive('sync', () => Promise.reject(new Error('No.')));
    await expect(failed).rejects.toThrow('No.');
    expect(await other.tabs.runExclusive('sync', async () => 'yes')).toBe('yes');
  });

  it('are of one work at a time within a tab, too', async () => {
    const tab = await openTab();
    const jobs = [new Job(tab), new Job(tab)];
    await pass(60_000);
    const first = jobs.filter(({ isRunning }) => isRunning);
    expect(first).toHaveLength(1);
    await first[0]?.end();
    await pass(2000);
    expect(jobs.filter(({ isRunning }) => isRunning)).toHaveLength(1);
  });

  it('are free once their tab is closed, and whoever waits in it gets none', async () => {
    const [one, other] = [await openTab(), await openTab()];
    const held = new Job(one);
    await pass(1000);
    const [waiting, next] = [new Job(one), new Job(other)];
    await pass(1000);
    expect([waiting.isRunning, next.isRunning]).toEqual([false, false]);
    const closed = one.tabs.close().then(() => one.store.close());
    expect(await held.outcome).toBe('AbortError');
    expect(await waiting.outcome).toBe('AbortError');
    await closed;
    await pass(1500);
    expect(next.isRunning).toBe(true);
    expect(await new Job(one).outcome).toBe('AbortError');
  });

  it('are taken from a tab that is frozen, which can’t commit any more', async () => {
    const [one, other] = [await openTab(), await openTab()];
    const frozen = new Job(one);
    await pass(1000);
    const next = new Job(other);
    await pass(1000);
    expect([frozen.isRunning, next.isRunning]).toEqual([true, false]);
    const epoch = await one.store.fence();
    one.ice.freeze();
    const commit = one.store.commit([{ table: 'meta', key: 'k', value: 'late' }], { epoch });
    const late = expect(commit).rejects.toBeInstanceOf(FencedError);
    await pass(20_000);
    expect(next.isRunning).toBe(true);
    await other.store.fence();
    one.ice.thaw();
    await pass(2000);
    await late;
    expect(await frozen.outcome).toBe('AbortError');
    // The tab of before leaves alone what is not its own.
    await pass(60_000);
    const again = new Job(one);
    await pass(60_000);
    expect([next.isRunning, again.isRunning]).toEqual([true, false]);
    expect(await next.end()).toBe('done');
    await pass(2000);
    expect(again.isRunning).toBe(true);
  });

  it('go from one tab to the next when three want them and one is frozen', async () => {
    const [one, two, three] = [await openTab(), await openTab(), await openTab()];
    // A tab that had the role doesn't answer for it any more.
    const before = new Job(three);
    await pass(1000);
    expect(await before.end()).toBe('done');
    const frozen = new Job(one);
    await pass(1000);
    one.ice.freeze();
    const jobs = [new Job(two), new Job(three)];
    await pass(60_000);
    expect(jobs.filter(({ isRunning }) => isRunning)).toHaveLength(1);
    await jobs.find(({ isRunning }) => isRunning)?.end();
    await pass(60_000);
    expect(jobs.filter(({ isRunning }) => isRunning)).toHaveLength(1);
    one.ice.thaw();
    await pass(2000);
    expect(frozen.isRunning).toBe(false);
  });
});

it('a role by a row isn’t taken by a tab that has looked before another one took it', async () => {
  locks = null;
  const [one, other] = [await openTab(), await openTab()];
  const ice = new Ice();
  ice.freeze();
  const store: OpenStore = {
    ...other.store,
    fence: () => ice.wait().then(() => other.store.fence()),
  };
  const tabs = openWith(store, channels.open(ice));
  opened.push({ tabs, store, ice });
  const slow = new Job({ tabs, store, ice });
  await pass(0);
  const quick = new Job(one);
  await pass(0);
  ice.thaw();
  await pass(60_000);
  expect([quick.isRunning, slow.isRunning]).toEqual([true, false]);
});

describe('announcements', () => {
  beforeEach(() => {
    locks = new Locks();
  });

  it('reach all other tabs until they listen no more', async () => {
    const [one, two, three] = [await openTab(), await openTab(), await openTab()];
    const told: [string, boolean][][] = [[], [], []];
    const stops = [one, two, three].map(({ tabs }, index) =>
      tabs.onMessage((message, hasMissed) => told[index]?.push([message, hasMissed])),
    );
    one.tabs.announce('a');
    two.tabs.announce('b');
    await pass(0);
    stops[2]?.();
    one.tabs.announce('c');
    await pass(0);
    expect(told).toEqual([
      [['b', false]],
      [
        ['a', false],
        ['c', false],
      ],
      [
        ['a', false],
        ['b', false],
      ],
    ]);
  });

  it('tell a tab that it has missed one', async () => {
    const ice = new Ice();
    const lossy = channels.open(ice);
    let isLost = false;
    const store = await stores.open('n');
    const tabs = openWith(store, {
      ...lossy,
      postMessage: (message) => (isLost ? undefined : lossy.postMessage(message)),
    });
    opened.push({ tabs, store, ice });
    const told: [string, boolean][] = [];
    (await openTab()).tabs.onMessage((...args) => told.push(args));
    for (const [message, lost] of [
      ['a', false],
      ['b', true],
      ['c', false],
      ['d', false],
    ] as const) {
      isLost = lost;
      tabs.announce(message);
    }
    await pass(0);
    expect(told).toEqual([
      ['a', false],
      ['c', true],
      ['d', false],
    ]);
  });
});
