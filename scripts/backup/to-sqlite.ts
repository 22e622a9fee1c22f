import { createWriteStream, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../src/blobs/filesystem.js';
import { restoringFile } from '../../src/database/restoring.js';
import {
  DatabaseFileError,
  DriverError,
  lockServer,
  migrate,
  openDatabase,
  recordUnicodeVersion,
  ServerLockError,
} from '../../src/database/sqlite/index.js';
import { openPrismaStandalone } from '../../src/database/sqlite/prisma.js';
import { UsageError } from '../cli.js';
import { beginAnew } from './begin-anew.js';
import type { Destination } from './destination.js';
import { databaseFiles, existingFiles, removeDatabase } from './from-sqlite.js';
import { NAMES } from './manifest.js';
import { requireSound } from './sound.js';

/**
 * Restores into a file that is not there. No server can start on it meanwhile, and none afterwards
 * where the restore was killed: the unfinished file says so by its name.
 */
export async function toSqlite(file: string, migrations: string): Promise<Destination> {
  const temporary = restoringFile(file);
  // Names the place of the blobs that a restore has begun to write; without an unfinished file it
  // means nothing.
  const note = `${temporary}-blobs`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const lock = takeLock(file);
  // Of a restore that was killed: nobody else can be at it.
  const isLeft = existsSync(temporary);
  let blobPlace = '';
  let isBegun = false;
  let isPublished = false;
  return {
    place: file,
    leftOut: [],

    async claim(blobs) {
      blobPlace = blobs;
      const resumes = isLeft && existsSync(note) && readFileSync(note, 'utf8') === blobs;
      return { occupied: existingFiles(file), resumes };
    },

    async take(name, body) {
      if (name !== NAMES.sqlite || isBegun) {
        throw new UsageError(`The backup has an unknown part ${name}.`);
      }
      isBegun = true;
      // Files left of another database keep their names, empty: without them a server could start
      // among its blobs.
      const [, ...besides] = databaseFiles(temporary);
      for (const path of besides) rmSync(path, { force: true });
      const target = createWriteStream(temporary, { flags: 'w', mode: 0o600 });
      await pipeline(Readable.from(body, { objectMode: false }), target);
    },

    async complete(tables) {
      await requireSound(temporary, file);
      const applied = bringUpToDate(temporary, migrations);
      await beginAnew(openPrismaStandalone(temporary), tables);
      await writeFile(note, blobPlace, { mode: 0o600, flush: true });
      await syncFolder(dirname(file));
      return applied;
    },

    async publish() {
      const [, ...besides] = existingFiles(temporary);
      if (besides.length > 0) throw new Error(`The database is not whole without ${besides[0]}.`);
      const handle = await open(temporary, 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      renameSync(temporary, file);
      await syncFolder(dirname(file));
      isPublished = true;
      rmSync(note, { force: true });
    },

    async close() {
      if (isBegun && !isLeft && !isPublished) {
        removeDatabase(temporary);
        rmSync(note, { force: true });
      }
      lock.release();
    },
  };
}

function takeLock(file: string): ReturnType<typeof lockServer> {
  try {
    return lockServer(file);
  } catch (error) {
    const told = [ServerLockError, DatabaseFileError, DriverError];
    if (told.some((each) => error instanceof each)) throw new UsageError((error as Error).message);
    throw error;
  }
}

function bringUpToDate(file: string, migrations: string): readonly string[] {
  const db = openDatabase({ file });
  try {
    const { applied } = migrate(db, migrations);
    recordUnicodeVersion(db);
    return applied;
  } finally {
    // The last connection: its log goes with it.
    db.close();
  }
}
