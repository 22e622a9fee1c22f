import { existsSync, rmSync } from 'node:fs';
import { quote } from '../../src/database/quote.js';
import {
  appliedMigrations,
  openDatabase,
  SqliteDatabase,
} from '../../src/database/sqlite/index.js';
import { LEFT_OUT } from './left-out.js';
import { NAMES } from './manifest.js';
import type { Progress } from './progress.js';
import { requireSound } from './sound.js';
import type { BlobRow, DatabaseSource } from './source.js';

/** Pages of a step, 4 KiB each: the process stays awake in between. */
const STEP = 1024;

const BLOBS = `SELECT "accountId", "id", "size" FROM "JmapBlob"
  WHERE ("accountId", "id") > (?, ?) ORDER BY "accountId", "id" LIMIT ?`;

/** Copies the database to `copy`, by SQLite's online backup. */
export async function copySqlite(
  file: string,
  copy: string,
  progress: Progress,
): Promise<DatabaseSource> {
  await copyPages(file, copy, progress);
  const db = new SqliteDatabase(copy, { fileMustExist: true });
  try {
    // One file, without a log beside it.
    db.pragma('journal_mode = DELETE');
    leaveOut(db);
    await requireSound(copy, file);
    const [count, octets] = db
      .prepare<[], [number, number]>('SELECT count(*), coalesce(sum("size"), 0) FROM "JmapBlob"')
      .raw()
      .get() ?? [0, 0];
    const select = db.prepare<[string, string, number], BlobRow>(BLOBS);
    return {
      kind: 'sqlite',
      migrations: appliedMigrations(db),
      async *parts() {
        yield { name: NAMES.sqlite, file: copy };
      },
      blobs: { count, octets },
      blobsAfter: async (last, limit) => select.all(last?.accountId ?? '', last?.id ?? '', limit),
      async close() {
        db.close();
        removeDatabase(copy);
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Empties tables of the copy, so that nothing of their rows is left in its pages. */
function leaveOut(db: SqliteDatabase): void {
  const known = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  db.pragma('secure_delete = ON');
  for (const table of LEFT_OUT)
    if (known.get(table) !== undefined) db.exec(`DELETE FROM ${quote(table)}`);
}

async function copyPages(file: string, copy: string, progress: Progress): Promise<void> {
  const db = openDatabase({ file, readonly: true });
  try {
    // In a read transaction all steps copy one state: else each write of the server begins the copy
    // anew. Writers don't wait for readers (WAL).
    db.exec('BEGIN');
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    const size = Number(db.pragma('page_size', { simple: true }));
    await db.backup(copy, {
      progress({ totalPages, remainingPages }) {
        progress.at((totalPages - remainingPages) * size, totalPages * size);
        return STEP;
      },
    });
  } finally {
    db.close();
  }
}

/** A database with what SQLite may have beside it. */
export function removeDatabase(file: string): void {
  for (const path of databaseFiles(file)) rmSync(path, { force: true });
}

export function databaseFiles(file: string): readonly string[] {
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
}

export function existingFiles(file: string): readonly string[] {
  return databaseFiles(file).filter((path) => existsSync(path));
}
