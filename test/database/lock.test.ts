import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockServer, openDatabase, ServerLockError } from '../../src/database/sqlite/index.js';
import { temporaryFolder } from './folder.js';
import { otherProcess } from './other-process.js';

describe('server lock', () => {
  it('refuses a second server on one file, and lets it start after the first', () => {
    const file = join(temporaryFolder(), 'jmap.db');
    const first = lockServer(file);
    expect(() => lockServer(file)).toThrow(ServerLockError);
    expect(() => lockServer(file)).toThrow(file);
    first.release();
    lockServer(file).release();
  });

  it('does not depend on the path that leads to the file', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'jmap.db');
    openDatabase({ file }).close();
    symlinkSync(file, join(folder, 'other.db'));
    const lock = lockServer(join(folder, 'other.db'));
    expect(() => lockServer(file)).toThrow(ServerLockError);
    lock.release();
  });

  it('is one where a symbolic link leads to a file that is not there yet', () => {
    const folder = temporaryFolder();
    const [file, link] = [join(folder, 'jmap.db'), join(temporaryFolder(), 'other.db')];
    symlinkSync(file, link);
    const lock = lockServer(link);
    openDatabase({ file: link }).close();
    expect(() => lockServer(file)).toThrow(ServerLockError);
    lock.release();
  });

  it('is held against other processes and dies with its own, kill -9 included', async () => {
    const file = join(temporaryFolder(), 'jmap.db');
    const other = await otherProcess(`${file}.lock`, 'BEGIN EXCLUSIVE');
    expect(() => lockServer(file)).toThrow(ServerLockError);
    await other.kill();
    lockServer(file).release();
  });

  it('leaves the database itself to commands', () => {
    const file = join(temporaryFolder(), 'jmap.db');
    const lock = lockServer(file);
    const db = openDatabase({ file });
    db.exec('CREATE TABLE "t" ("id" TEXT)');
    db.close();
    lock.release();
  });
});
