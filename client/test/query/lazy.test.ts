import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveRows, type LiveSource } from '../../src/cache/live-query.js';
import { Lazy } from '../../src/query/lazy.js';
import { Replica } from '../../src/store/replica.js';
import { makeTable } from '../support/toy-server.js';

// Parts of the client that can't be loaded, on a clock of the test.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a part that can't be loaded until `isThere` is true, and how often that was tried. */
function makePart() {
  const host = { isThere: false, tries: 0 };
  const lazy = new Lazy(async () => {
    host.tries += 1;
    if (!host.isThere) throw new Error('The file is gone.');
    return 'part';
  });
  return { host, lazy };
}

describe('a part that can’t be loaded', () => {
  it('is tried by one timer, whoever wants it', async () => {
    const { host, lazy } = makePart();
    const told: number[] = [];
    const onLoaded = () => told.push(0);
    for (let n = 1; n <= 100; n += 1) {
      lazy.want(onLoaded);
      if (n % 10 === 0) lazy.want(() => told.push(n));
      await vi.advanceTimersByTimeAsync(0);
    }
    expect([host.tries, vi.getTimerCount()]).toEqual([1, 1]);
    host.isThere = true;
    await vi.advanceTimersByTimeAsync(250);
    expect(host.tries).toBe(2);
    expect(told).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    lazy.want(onLoaded);
    await vi.advanceTimersByTimeAsync(0);
    expect([lazy.part, told.at(-1), vi.getTimerCount()]).toEqual(['part', 0, 0]);
  });

  it('is tried no more behind close', async () => {
    const { host, lazy } = makePart();
    lazy.want(() => undefined);
    lazy.close();
    await vi.advanceTimersByTimeAsync(0);
    expect([host.tries, vi.getTimerCount()]).toEqual([1, 0]);
    const other = makePart();
    other.lazy.want(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
    other.lazy.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([other.host.tries, vi.getTimerCount()]).toEqual([1, 0]);
  });
});

it('a list wants the rules of texts once, however many commits come before them', () => {
  const table = makeTable('Thing');
  const wanted = new Set<unknown>();
  let seq = 0;
  const source: Partial<LiveSource> = {
    ...{ note: undefined, replica: new Replica([table]), seq: () => seq },
    ...{ isLoaded: () => true, status: () => 'live', follow: () => () => undefined },
    rules: {
      compile(_: unknown, onLoaded: unknown) {
        wanted.add(onLoaded);
        return null;
      },
    } as never,
  };
  const args = { filter: null, sort: [], position: 0, limit: null, include: [] };
  const list = new LiveRows(table, args, source as LiveSource);
  list.subscribe(() => undefined);
  for (seq = 1; seq <= 10; seq += 1) list.update(new Map());
  expect(wanted.size).toBe(1);
});
