import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { TICK, TICK_OF_ROWS, Ticks } from '../../src/store/sqlite/tick.js';

/** How often a scan of rows asks for the time. */

const ROWS = 100_000;
let db: ReturnType<typeof openDatabase>;
let asked = 0;

beforeEach(() => {
  db = openDatabase({ file: ':memory:' });
  asked = 0;
  db.function('jmap_tick', { deterministic: false }, () => {
    asked += 1;
    return 1;
  });
  db.exec(`CREATE TABLE "T" ("id" TEXT PRIMARY KEY, "created" BIGINT NOT NULL) WITHOUT ROWID`);
});

afterEach(() => {
  db.close();
});

/** The longest run of rows without asking is not known here, but how often it is asked. */
function asks(condition: string, created: string): number {
  db.exec(`DELETE FROM "T"; WITH RECURSIVE "n"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "n" LIMIT ${ROWS})
 INSERT INTO "T" SELECT printf('r%08d', n), ${created} FROM "n"`);
  asked = 0;
  const count = db.prepare(`SELECT count(*) FROM "T" WHERE ${condition}`).pluck().get();
  expect(count).toBe(ROWS);
  return asked;
}

const RATE = ROWS / 256;

describe('A scan on SQLite', () => {
  it('D6: asks for the time for one row in 256, also where all were created at one time', () => {
    for (const { text } of [TICK, TICK_OF_ROWS])
      for (const created of ['1760000000001', 'n']) {
        const count = asks(text, created);
        expect(count).toBeGreaterThan(RATE / 2);
        expect(count).toBeLessThan(RATE * 2);
      }
  });

  it('asks as often in a thread by the times of objects of /set calls, whatever their size', () => {
    const text = new Ticks(true).textOf(TICK_OF_ROWS.text);
    expect(text).toContain('"created"');
    for (const created of ['n', '1760000000000 + n / 100 * 7', '1760000000000 + n / 500 * 40']) {
      const count = asks(text, created);
      expect(count).toBeGreaterThan(RATE / 2);
      expect(count).toBeLessThan(RATE * 4);
    }
  });

  it('no longer does so once a statement has ended late, as of rows that have all one time', () => {
    const ticks = new Ticks(true);
    expect(asks(ticks.textOf(TICK_OF_ROWS.text), '1760000000001')).toBe(0);
    ticks.ended(-5);
    ticks.ended(20);
    expect(ticks.textOf(TICK_OF_ROWS.text)).toContain('"created"');
    ticks.ended(200);
    expect(asks(ticks.textOf(TICK_OF_ROWS.text), '1760000000001')).toBeGreaterThan(RATE / 2);
    expect(new Ticks(false).textOf(TICK_OF_ROWS.text)).toBe(TICK_OF_ROWS.text);
  });

  it('takes nothing from the row where an index alone may do', () => {
    expect(sqlite.tick.text).not.toContain('created');
    expect(new Ticks(true).textOf(`SELECT ${TICK.text}`)).toBe(`SELECT ${TICK.text}`);
  });
});
