import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate, openPool, type Pool } from '../../../src/database/postgresql/index.js';
import { openPrisma } from '../../../src/database/postgresql/prisma.js';
import { ratePoints } from '../../../src/database/postgresql/rate-points.js';
import { pruneRates } from '../../../src/database/rate-rows.js';
import { LeasedCounter } from '../../../src/runtime/rates/leased-counter.js';
import { MemoryCounter } from '../../../src/runtime/rates/memory-counter.js';
import type { PointStore, RateCounter } from '../../../src/runtime/rates/rate-counter.js';
import type { RateRule } from '../../../src/runtime/rates/rate-rules.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { ROOT } from '../../support/server.js';

const postgresql = usePostgresql();
const failures: unknown[] = [];
const opened: (() => Promise<void>)[] = [];
let url: string;

beforeAll(async () => {
  url = await postgresql().createDatabase('rates');
  const pool = openPool({ url, size: 1 });
  await migrate(pool, `${ROOT}/prisma/postgresql/migrations`);
  await pool.end();
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  failures.splice(0);
});

let keys = 0;
/** A key that no other test has. */
function freshKey(): string {
  keys += 1;
  return `key${keys}`;
}

function ruleOf(count: number, seconds = 3600): RateRule {
  return { subject: 'user', name: 'user', count, seconds };
}

function openOnePool(at = url): Pool {
  const pool = openPool({ url: at, size: 1, relaxed: true, answerWithin: 250 });
  opened.push(() => pool.end());
  return pool;
}

/** The counter of one server. */
function openCounter(rule: RateRule, store: PointStore = openStore(rule)): LeasedCounter {
  const memory = new MemoryCounter({ rule });
  const counter = new LeasedCounter({ rule, store, memory, onFailure: (e) => failures.push(e) });
  opened.push(() => counter.close());
  return counter;
}

function openStore(rule: RateRule, secret: Uint8Array | null = null): PointStore {
  return ratePoints(openOnePool(), secret)(rule);
}

/** Takes until it is refused, so many at a time; resolves to the number that was granted. */
async function drain(counter: RateCounter, key: string, atOnce = 10): Promise<number> {
  let granted = 0;
  for (;;) {
    const all = await Promise.all(Array.from({ length: atOnce }, () => counter.take(key)));
    const good = all.filter(({ isGranted }) => isGranted).length;
    granted += good;
    if (good < atOnce) return granted;
  }
}

async function countPoints(pool: Pool): Promise<readonly number[]> {
  const { rows } = await pool.query<{ points: string }>('SELECT "points" FROM "JmapRate"');
  return rows.map(({ points }) => Number(points));
}

describe('counters of several servers', () => {
  it.each([1, 2, 7, 100, 1000])(
    'three under load together grant exactly %i requests',
    async (count) => {
      const rule = ruleOf(count);
      const key = freshKey();
      const counters = [openCounter(rule), openCounter(rule), openCounter(rule)];
      const granted = await Promise.all(counters.map((counter) => drain(counter, key)));
      expect(granted.reduce((sum, one) => sum + one, 0)).toBe(count);
      for (const counter of counters) {
        const refused = await counter.take(key);
        expect(refused).toMatchObject({ isGranted: false, left: 0 });
        expect(refused.until).toBeGreaterThan(performance.now() + 3_500_000);
      }
      expect(failures).toEqual([]);
    },
  );

  it('points that one has taken in advance and does not use are given to another', async () => {
    const rule = ruleOf(200);
    const key = freshKey();
    const [idle, busy] = [openCounter(rule), openCounter(rule)];
    for (let at = 0; at < 20; at += 1)
      expect(await idle.take(key)).toMatchObject({ isGranted: true });
    let granted = 0;
    await eventually(async () => {
      granted += await drain(busy, key);
      expect(granted).toBe(180);
    });
    expect(await drain(busy, key)).toBe(0);
  });

  it('a server that ends puts back what it has taken in advance', async () => {
    const rule = ruleOf(200);
    const key = freshKey();
    const first = openCounter(rule);
    for (let at = 0; at < 20; at += 1) await first.take(key);
    await first.close();
    expect(await drain(openCounter(rule), key)).toBe(180);
  });

  it('a busy key seldom costs a statement', async () => {
    const rule = ruleOf(10_000);
    const store = openStore(rule);
    let statements = 0;
    const counted: PointStore = {
      take(...args) {
        statements += 1;
        return store.take(...args);
      },
      give: (...args) => store.give(...args),
    };
    const counter = openCounter(rule, counted);
    const key = freshKey();
    for (let at = 0; at < 3000; at += 1)
      expect(await counter.take(key)).toMatchObject({ isGranted: true });
    // Sixty-four points at a time need 47; a pause in the middle begins with one again.
    expect(statements).toBeLessThan(300);
  });

  it('requests that wait at the same time become one statement', async () => {
    const rule = ruleOf(100);
    const store = openStore(rule);
    const asked: number[] = [];
    const counted: PointStore = {
      take(key, most, deadline) {
        asked.push(most);
        return store.take(key, most, deadline);
      },
      give: (...args) => store.give(...args),
    };
    const counter = openCounter(rule, counted);
    const key = freshKey();
    const all = await Promise.all(Array.from({ length: 30 }, () => counter.take(key)));
    expect(all.every(({ isGranted }) => isGranted)).toBe(true);
    expect(asked.slice(0, 2)).toEqual([1, 29]);
  });

  it('each request that is given back is granted again, to any server', async () => {
    const rule = ruleOf(10);
    const key = freshKey();
    const [one, other] = [openCounter(rule), openCounter(rule)];
    const taken = [];
    for (let at = 0; at < 10; at += 1) taken.push(await one.take(key));
    for (const each of taken.slice(0, 4)) one.give(each);
    let granted = 0;
    await eventually(async () => {
      granted += await drain(other, key, 1);
      expect(granted).toBe(4);
    });
  });

  it('the next window begins when the database says so', async () => {
    const rule = ruleOf(5);
    const key = freshKey();
    const counter = openCounter(rule);
    expect(await drain(counter, key)).toBe(5);
    await openOnePool().query('UPDATE "JmapRate" SET "expires" = 0');
    await eventually(async () => expect(await drain(counter, key)).toBe(5));
  });

  it('rules of several windows count by themselves', async () => {
    const key = freshKey();
    expect(await drain(openCounter(ruleOf(3, 60)), key)).toBe(3);
    expect(await drain(openCounter(ruleOf(4, 3600)), key)).toBe(4);
  });
});

describe('rows of rate limits', () => {
  it('show no key, and with a secret no guess of one', async () => {
    const pool = openOnePool();
    const rule = ruleOf(5);
    await pool.query('DELETE FROM "JmapRate"');
    const secret = Buffer.alloc(32, 7);
    for (const store of [ratePoints(pool, null)(rule), ratePoints(pool, secret)(rule)])
      await store.take('203.0.113.7', 1, performance.now() + 5000);
    const { rows } = await pool.query<{ key: string }>('SELECT "key" FROM "JmapRate"');
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
    for (const { key } of rows) expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('of windows that ended are pruned, others stay', async () => {
    const pool = openOnePool();
    const prisma = openPrisma(pool);
    opened.push(() => prisma.$disconnect());
    await pool.query('DELETE FROM "JmapRate"');
    for (const [key, expires] of [
      ['old', 1000],
      ['older', 2000],
      ['new', 3_000_000],
    ])
      await pool.query('INSERT INTO "JmapRate" VALUES ($1, 1, $2)', [key, expires]);
    expect(await pruneRates(prisma, 100_000, 1)).toBe(1);
    expect(await pruneRates(prisma, 100_000, 10)).toBe(1);
    expect(await countPoints(pool)).toEqual([1]);
    // Clocks of servers may differ by a minute.
    expect(await pruneRates(prisma, 3_030_000, 10)).toBe(0);
    expect(await pruneRates(prisma, 3_070_000, 10)).toBe(1);
  });
});

describe('a database that is away', () => {
  it('has the memory count, and is asked again by one request at a time', async () => {
    const rule = ruleOf(5);
    const key = freshKey();
    const good = openStore(rule);
    let isAway = true;
    let asked = 0;
    const store: PointStore = {
      async take(...args) {
        asked += 1;
        if (isAway) throw new Error('It is away.');
        return good.take(...args);
      },
      give: (...args) => good.give(...args),
    };
    const counter = openCounter(rule, store);
    expect(await drain(counter, key)).toBe(5);
    expect(await drain(counter, freshKey())).toBe(5);
    expect([asked, failures.length]).toEqual([1, 1]);
    isAway = false;
    // The database has counted nothing of this key.
    let granted = 0;
    await eventually(async () => {
      granted += await drain(counter, key);
      expect(granted).toBe(5);
    });
    expect(asked).toBeGreaterThan(1);
  });

  it('that never answers holds a request for a moment alone', async () => {
    const rule = ruleOf(5);
    const never = new Promise<never>(() => undefined);
    const store: PointStore = { take: () => never, give: async () => undefined };
    const counter = openCounter(rule, store);
    expect(await drain(counter, freshKey())).toBe(5);
    expect(String(failures[0])).toContain('has not answered within 250 ms');
  });

  it('at no address fails as quickly', async () => {
    const rule = ruleOf(5);
    const pool = openOnePool('postgresql://u:p@127.0.0.1:1/none');
    const counter = openCounter(rule, ratePoints(pool, null)(rule));
    expect(await drain(counter, freshKey())).toBe(5);
    expect(failures).toHaveLength(1);
  });
});
