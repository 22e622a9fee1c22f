import { setTimeout as delay } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUser } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';

/**
 * A statement that never asks for the time (src/store/sqlite/tick.ts): all of its rows have one time of
 * creation, as rows have that were put in by SQL. Nothing stops it, and Node waits for a thread that is
 * within one, whoever ends the process. It would take minutes.
 */
const ROWS = 60_000;
const LENGTH = 512;
const CONDITIONS = 900;

/** Of the contract, and what a busy machine may take to say so. */
const END = 10_000;
const SLACK = 2_500;

describe('The end of a server within a scan that nothing stops', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ env: { SCAN_THREADS: '2', REQUEST_TIMEOUT: '60s' } });
  });
  afterAll(() => server?.remove());

  it('comes in time, and all that was acknowledged stays', async () => {
    const { accountId, client } = await makeUser(server);
    fill(server, accountId);
    const conditions = Array.from({ length: CONDITIONS }, (_, n) => ({
      text: `${'a'.repeat(40)}${n}`,
    }));
    const filter = { operator: 'OR', conditions };
    const scan = client.query('Todo', { accountId, filter }).then(
      () => 'answered',
      () => 'cut',
    );
    // It runs, and goes on: others are served beside it.
    await delay(1000);
    const create = { k: { text: 'kept' } };
    const { created, newState } = await client.set('Todo', { accountId, create });
    const id = created?.['k']?.['id'];
    const begun = performance.now();
    const exit = await server.stop();
    expect(performance.now() - begun).toBeLessThan(END + SLACK);
    expect(await scan).toBe('cut');
    // There is no other way out: what ends a process with a code waits for its threads.
    expect(exit).toEqual({ code: null, signal: 'SIGKILL' });

    const again = await server.restart();
    try {
      const { list, state } = await client.get('Todo', { accountId, ids: [id] });
      expect([list[0]?.['text'], state]).toEqual(['kept', newState]);
      expect(again.stderr()).toBe('');
    } finally {
      await again.remove();
    }
  });
});

/** Beside what is made, so that reading the request takes several slices, and so does its answer. */
const PADDING = Array.from({ length: 60_000 }, (_, n) => ({ n, text: `${'x'.repeat(100)}${n}` }));
const SENT = 3;

describe('The end of a server within requests that are read, run and answered in slices', () => {
  it('has each answered or cut, and each is done or not at all', async () => {
    const first = await startServer({ env: { MAX_SIZE_REQUEST: '10000000' } });
    try {
      const { accountId, client } = await makeUser(first);
      const create = Object.fromEntries(
        Array.from({ length: 1000 }, (_, n) => [`k${n}`, { text: `t${n}` }]),
      );
      let server = first;
      let kept = 0;
      // From the body's first octets to the last of the answer.
      for (const wait of [5, 40, 80, 120, 200, 300, 500]) {
        const requests = Array.from({ length: SENT }, () =>
          client.api([
            ['Core/echo', { PADDING }, 'e'],
            ['Todo/set', { accountId, create }, 's'],
          ]),
        );
        const settled = Promise.allSettled(requests);
        await delay(wait);
        expect(await server.stop()).toEqual({ code: 0, signal: null });
        const answered = (await settled).filter(({ status }) => status === 'fulfilled');
        server = await server.restart();
        const { total } = await client.query('Todo', { accountId, calculateTotal: true, limit: 1 });
        const { state } = await client.get('Todo', { accountId, ids: [] });
        const made = Number(total) - kept;
        expect(made % 1000, `after ${wait} ms`).toBe(0);
        expect(made).toBeGreaterThanOrEqual(answered.length * 1000);
        expect(made).toBeLessThanOrEqual(SENT * 1000);
        kept = Number(total);
        expect(state).toBe(String(kept));
      }
      await server.stop();
    } finally {
      await first.remove();
    }
  });
});

function fill(server: RunningServer, accountId: string): void {
  const db = new BetterSqlite3(`${server.dataDir}/jmap.db`, { timeout: 10_000 });
  try {
    db.prepare(
      `WITH RECURSIVE "n"("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "n" WHERE "n" < ${ROWS})
       INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "text_folded", "text_casemap")
       SELECT ?, 'r' || "n", 1, 1, "t", "t", "t" FROM "n", (SELECT ? AS "t")`,
    ).run(accountId, 'a'.repeat(LENGTH));
    db.prepare(
      `INSERT INTO "JmapState" ("accountId", "type", "number", "objects") VALUES (?, 'Todo', 1, ?)
       ON CONFLICT DO UPDATE SET "objects" = excluded."objects"`,
    ).run(accountId, ROWS);
  } finally {
    db.close();
  }
}
