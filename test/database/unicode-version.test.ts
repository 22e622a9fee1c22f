import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  MigrationError,
  migrate,
  openDatabase,
  recordUnicodeVersion,
} from '../../src/database/sqlite/index.js';
import { UNICODE_VERSION } from '../../src/text/index.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/sqlite/migrations', import.meta.url));
const RECORDED = `SELECT "value" FROM "JmapMeta" WHERE "key" = 'unicodeVersion'`;

let folder: string;
let db: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jmapsmith-unicode-'));
  db = openDatabase({ file: join(folder, 'jmap.db') });
  migrate(db, MIGRATIONS);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

it('the Unicode version of folded text is recorded once', () => {
  recordUnicodeVersion(db);
  recordUnicodeVersion(db);
  expect(db.prepare(RECORDED).pluck().all()).toEqual([UNICODE_VERSION]);
});

it('a database folded by another version is refused by name', () => {
  db.prepare(`INSERT INTO "JmapMeta" VALUES ('unicodeVersion', '15.1.0')`).run();
  expect(() => recordUnicodeVersion(db)).toThrow(MigrationError);
  expect(() => recordUnicodeVersion(db)).toThrow(/15\.1\.0.*16\.0\.0/);
});
