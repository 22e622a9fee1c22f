import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { type Exit, type RunningServer, startServer } from '../support/server.js';

/**
 * A statement that hardly ever asks for the time: it does so before one row in 256, by chance
 * (src/store/sqlite/dialect.ts), and there are four, of several seconds each. Their texts, put in
 * by SQL, are much longer than the type allows, so no condition on them asks either. Nothing stops
 * such a statement, and Node waits for a thread that is within one, whoever ends the process. It
 * takes half a minute.
 */
const ROWS = 4;
const LENGTH = 5_000_000;
const CONDITIONS = 900;

/** Of the contract, and what a busy machine may take to say so. */
const END = 10_000;
const SLACK = 2_500;

/** A defect on demand: what nobody catches. */
const DEFECT = 'process.on("SIGUSR2", () => { throw new Error("on demand"); })';
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(DEFECT)}`;

describe('The end of a server within a scan that nothing stops', () => {
  let server: RunningServer;
  beforeAll(async () => {
    const env = { SCAN_THREADS: '2', REQUEST_TIMEOUT: '60s', NODE_OPTIONS };
    server = await startServer({ env });
  });
  afterAll(() => server?.remove());

  /** Fills an account, begins the scan, and has something acknowledged beside it. */
  async function scanned(): Promise<{
    readonly scan: Promise<string>;
    readonly expectKept: () => Promise<void>;
  }> {
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
    return {
      scan,
      async expectKept() {
        const { list, state } = await client.get('Todo', { accountId, ids: [id] });
        expect([list[0]?.['text'], state]).toEqual(['kept', newState]);
      },
    };
  }

  it('comes in time, and all that was acknowledged stays', async () => {
    const { scan, expectKept } = await scanned();
    const begun = performance.now();
    const exit = await server.stop();
    expect(performance.now() - begun).toBeLessThan(END + SLACK);
    expect(await scan).toBe('cut');
    // There is no other way out: what ends a process with a code waits for its threads.
    expect(exit).toEqual({ code: null, signal: 'SIGKILL' });

    server = await server.restart();
    await expectKept();
    expect(server.stderr()).toBe('');
  });

  it('comes after a defect too, whose code is 70 where no thread is busy', async () => {
    const { scan, expectKept } = await scanned();
    expect(await defect(server)).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await scan).toBe('cut');
    // The pipe is read to its end a little after the process is gone.
    await eventually(() => {
      for (const text of ['on demand', 'by SIGKILL']) expect(server.stderr()).toContain(text);
    });

    server = await server.restart();
    await expectKept();
    expect(await defect(server)).toEqual({ code: 70, signal: null });
  });
});

/** The process is gone before it is asked for its exit, which would stop it. */
async function defect(server: RunningServer): Promise<Exit> {
  process.kill(server.pid, 'SIGUSR2');
  await eventually(() => {
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH');
  }, END + SLACK);
  return server.stop();
}

/**
 * Beside what is made, so that reading the request takes several slices, and so does its answer.
 */
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
  const db = new SqliteDatabase(`${server.dataDir}/jmap.db`, { timeout: 10_000 });
  try {
    db.prepare(
      `WITH RECURSIVE "n"("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "n" WHERE "n" < ${ROWS})
       INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "text_folded",
       "text_casemap")
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
