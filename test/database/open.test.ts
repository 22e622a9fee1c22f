import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { asciiNumericKey, casemapKey, fold } from '../../src/text/index.js';
import { temporaryFolder } from './folder.js';
import { otherProcess } from './other-process.js';

function open() {
  const db = openDatabase({ file: join(temporaryFolder(), 'new', 'test.db') });
  onTestFinished(() => void db.close());
  return db;
}

describe('an SQLite connection', () => {
  it('writes ahead and waits for the disk at each commit', () => {
    const db = open();
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(0);
  });

  it('waits where another process holds the lock of a new file without a WAL', async () => {
    const file = join(temporaryFolder(), 'new.db');
    const other = await otherProcess(file, 'BEGIN IMMEDIATE; CREATE TABLE "t" ("id" TEXT)');
    const committed = other.exec(`
      CREATE TABLE "counted" AS
      WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < 2000000)
      SELECT COUNT(*) AS "count" FROM "n";
      COMMIT`);
    const db = openDatabase({ file });
    onTestFinished(() => void db.close());
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.prepare('SELECT "count" FROM "counted"').pluck().get()).toBe(2_000_000);
    await committed;
  });

  it('never sleeps for a lock for more than a moment', () => {
    expect(open().pragma('busy_timeout', { simple: true })).toBeLessThanOrEqual(10);
  });

  it('can not write where it is read-only, and makes no file', () => {
    const db = open();
    db.exec('CREATE TABLE "t" ("id" TEXT)');
    const reader = openDatabase({ file: db.name, readonly: true });
    expect(() => reader.exec('DELETE FROM "t"')).toThrow(/readonly/);
    reader.close();
    const missing = join(temporaryFolder(), 'missing.db');
    expect(() => openDatabase({ file: missing, readonly: true })).toThrow(/unable to open/);
  });

  it("has the project's text functions, and null for null", () => {
    const db = open();
    const row = db
      .prepare(
        `SELECT jmap_fold(?1), jmap_casemap(?1), jmap_ascii_numeric(?1),
                jmap_fold(NULL), jmap_casemap(NULL), jmap_ascii_numeric(NULL)`,
      )
      .raw()
      .get({ 1: '42 ÄßI' });
    const text = '42 ÄßI';
    expect(row).toEqual([fold(text), casemapKey(text), asciiNumericKey(text), null, null, null]);
  });

  it('has the moment of a Date as a whole number, and the least one for what is none', () => {
    const instant = open().prepare('SELECT typeof(jmap_instant(?1)), jmap_instant(?1)').raw();
    expect(instant.get({ 1: '1970-01-01T01:00:01.5+01:00' })).toEqual(['integer', 1500]);
    // A column that takes no null may have texts from before its property was a Date.
    expect(instant.get({ 1: '2026-13-01T00:00:00Z' })).toEqual([
      'integer',
      -Number.MAX_SAFE_INTEGER,
    ]);
    expect(instant.get({ 1: null })).toEqual(['null', null]);
  });

  it('stops a scan at the deadline of its call', () => {
    const db = open();
    const scan = db.prepare(
      `WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE jmap_tick())
       SELECT count(*) FROM "n"`,
    );
    db.setDeadline(performance.now() + 20);
    expect(() => scan.get()).toThrow(UnavailableError);
    db.setDeadline(Number.POSITIVE_INFINITY);
    expect(db.prepare('SELECT jmap_tick()').pluck().get()).toBe(1);
  });
});
