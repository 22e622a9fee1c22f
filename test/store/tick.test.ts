import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { render } from '../../src/store/sql/fragment.js';
import { TICK, tickOfScan } from '../../src/store/sqlite/dialect.js';

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
  db.exec(`DELETE FROM "T"; WITH RECURSIVE "n"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "n"
    LIMIT ${ROWS})
 INSERT INTO "T" SELECT printf('r%08d', n), ${created} FROM "n"`);
  asked = 0;
  const count = db.prepare(`SELECT count(*) FROM "T" WHERE ${condition}`).pluck().get();
  expect(count).toBe(ROWS);
  return asked;
}

const RATE = ROWS / 256;

describe('A scan on SQLite', () => {
  it('asks for the time for one row in 256, also where all were created at one time', () => {
    for (const created of ['1760000000001', 'n']) {
      const count = asks(TICK.text, created);
      expect(count).toBeGreaterThan(RATE / 2);
      expect(count).toBeLessThan(RATE * 2);
    }
  });

  it('asks as often in a thread, but not where the account has few objects in the table', () => {
    db.exec(`CREATE TABLE "JmapState" ("accountId", "type", "objects");
 INSERT INTO "JmapState" VALUES ('few', 'T', 131072), ('many', 'T', 131073), ('none', 'U', 1)`);
    const condition = render(tickOfScan('?', 'T'), () => '?');
    const asksOf = (account: string): number => asks(condition.replace('?', `'${account}'`), 'n');
    expect(asksOf('few')).toBe(0);
    for (const account of ['many', 'none']) {
      const count = asksOf(account);
      expect(count).toBeGreaterThan(RATE / 2);
      expect(count).toBeLessThan(RATE * 2);
    }
  });
});
