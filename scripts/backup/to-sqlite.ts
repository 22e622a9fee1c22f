import { createWriteStream, renameSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../src/blobs/durable-folders.js';
import {
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
import { existingFiles, removeDatabase, requireSound } from './from-sqlite.js';
import { NAMES } from './manifest.js';

/** Restores into a file that is not there. No server can start on it meanwhile. */
export async function toSqlite(file: string, migrations: string): Promise<Destination> {
  const temporary = `${file}.restoring`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const lock = takeLock(file);
  // Of a restore that was killed: nobody else can be at it.
  removeDatabase(temporary);
  return {
    place: file,
    occupied: async () => existingFiles(file),

    async take(name, body) {
      if (name !== NAMES.sqlite) throw new UsageError(`The backup has an unknown part ${name}.`);
      const target = createWriteStream(temporary, { flags: 'wx', mode: 0o600 });
      await pipeline(Readable.from(body, { objectMode: false }), target);
    },

    async complete(tables) {
      const applied = bringUpToDate(temporary, migrations);
      await beginAnew(openPrismaStandalone(temporary), tables);
      return applied;
    },

    async publish() {
      const handle = await open(temporary, 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      renameSync(temporary, file);
      await syncFolder(dirname(file));
    },

    async close() {
      removeDatabase(temporary);
      lock.release();
    },
  };
}

function takeLock(file: string): ReturnType<typeof lockServer> {
  try {
    return lockServer(file);
  } catch (error) {
    if (error instanceof ServerLockError) throw new UsageError(error.message);
    throw error;
  }
}

function bringUpToDate(file: string, migrations: string): readonly string[] {
  const db = openDatabase({ file });
  try {
    requireSound(db, file);
    const { applied } = migrate(db, migrations);
    recordUnicodeVersion(db);
    return applied;
  } finally {
    // The last connection: its log goes with it.
    db.close();
  }
}
