import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, httpAnswer } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { ROOT, startServer } from '../support/server.js';
import { expectServed, expectSound, startRig } from './rig.js';

// Files that may not be written: wrong owners and modes, and a file system that is mounted
// read-only.

const isRoot = process.getuid?.() === 0;
/** Nobody: an ordinary user for a test that runs as root. Others are ordinary users themselves. */
const USER = isRoot ? { uid: 65534, gid: 65534 } : {};

/** Of a program of this repository that ends by itself; a server that starts is stopped. */
function run(script: string, folder: string, args: readonly string[] = []) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', script, ...args], {
    ...USER,
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 30_000,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: `file:${join(folder, 'jmap.db')}`,
      BLOB_STORE: `file:${join(folder, 'blobs')}`,
      LOG_LEVEL: 'warn',
      BOOTSTRAP_TOKEN: 'off',
    },
  });
  return { code: status, stderr };
}

/** One line, no stack, and the code of a start that is refused. */
function expectRefused(folder: string, reason: RegExp): void {
  const { code, stderr } = run('src/server/main', folder);
  expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/^jmapsmith: /)]);
  expect(stderr).toMatch(reason);
  expect(code).toBe(1);
}

const canRun =
  spawnSync(process.execPath, ['-e', 'require("fs").readdirSync(".")'], { ...USER, cwd: ROOT })
    .status === 0;

// Below a folder of mode 700 of root's, no other user can run it.
describe.skipIf(!canRun)('as an ordinary user', () => {
  let base: string;
  let whole: string;
  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'jmapsmith-access-'));
    chmodSync(base, 0o755);
    whole = join(base, 'whole');
    const server = await startServer({ env: {} });
    await makeUser(server);
    await server.stop();
    cpSync(server.dataDir, whole, { recursive: true });
    await server.remove();
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  /** A data folder of that user's with all that a server has left. */
  function folderOf(name: string): string {
    const folder = join(base, name);
    cpSync(whole, folder, { recursive: true });
    const paths = readdirSync(folder, { recursive: true }).map((path) =>
      join(folder, String(path)),
    );
    if (USER.uid !== undefined)
      for (const path of [folder, ...paths]) chownSync(path, USER.uid, USER.gid);
    return folder;
  }

  it('commands and the server use a folder with the right owner and mode', () => {
    expect(run('scripts/token', folderOf('right'), ['list']).code).toBe(0);
  });

  it.each([
    ['the data folder can only be read', '', 0o555, /data1 can't be written \(EACCES\)/],
    ['the database can only be read', 'jmap.db', 0o444, /jmap\.db can't be written \(EACCES\)/],
    ['the database is closed', 'jmap.db', 0o000, /jmap\.db can't be written \(EACCES\)/],
    ['the lock can only be read', 'jmap.db.lock', 0o444, /jmap\.db\.lock can't be written/],
    ['the blobs can only be read', 'blobs', 0o555, /EACCES.*blobs'.*BLOB_STORE/],
    ['arriving blobs can only be read', 'blobs/.incoming', 0o555, /EACCES.*\.incoming'/],
  ])('%s: the start is refused, by name', (_, path, mode, reason) => {
    const folder = folderOf(path === '' ? 'data1' : `${path.replaceAll(/\W/g, '')}-${mode}`);
    if (!existsSync(join(folder, path))) writeFileSync(join(folder, path), '');
    chmodSync(join(folder, path), mode);
    try {
      expectRefused(folder, reason);
      if (path !== '' && path !== 'jmap.db') return;
      const command = run('scripts/token', folder, ['list']);
      expect(command).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
      expect(command.stderr.trim().split('\n')).toHaveLength(1);
    } finally {
      chmodSync(join(folder, path), 0o700);
    }
  });

  it.skipIf(!isRoot)('files of another user: the start is refused, by name', () => {
    const folder = folderOf('foreign');
    for (const name of ['jmap.db-wal', 'jmap.db-shm']) {
      writeFileSync(join(folder, name), '', { mode: 0o600 });
      expectRefused(folder, new RegExp(`${name} can't be written.*owner`));
      rmSync(join(folder, name));
    }
    mkdirSync(join(base, 'of-root'), { mode: 0o755 });
    expectRefused(join(base, 'of-root', 'data'), /EACCES.*mkdir/);
  });
});

/** A file system of its own, if this user may mount one. */
function mounted(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-ro-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}
const mount = mounted();
afterAll(() => {
  if (mount === null) return;
  execFileSync('umount', ['-l', mount]);
  rmSync(mount, { recursive: true, force: true });
});

// Mounting needs root.
describe.skipIf(mount === null)('a file system that is mounted read-only', () => {
  const remount = (mode: 'ro' | 'rw') =>
    execFileSync('mount', ['-o', `remount,${mode}`, String(mount)]);

  it('at a start: refused by name, commands too, and the next start serves', async () => {
    const data = join(String(mount), 'data');
    mkdirSync(data);
    const places = {
      DATA_DIR: data,
      DATABASE_URL: `file:${join(data, 'jmap.db')}`,
      BLOB_STORE: `file:${join(data, 'blobs')}`,
    };
    const server = await startServer({ env: places });
    const { token, accountId } = await makeUser(server);
    const client = new Client(server.url, token);
    await client.set('Todo', { accountId, create: { k: { text: 'kept' } } });
    await server.stop();
    remount('ro');
    const failure = await startServer({ env: places }).catch(String);
    expect(failure).toMatch(/ended with 1\./);
    expect(failure).toMatch(
      /jmapsmith: \S+data can't be written \(EROFS\): its file system is mounted read-only/,
    );
    expect(failure).not.toMatch(/\n +at /);
    const command = await server.command('scripts/token', ['list']);
    expect(command).toMatchObject({ code: 2, stderr: expect.stringContaining('read-only') });
    // The blobs alone.
    const rest = mkdtempSync(join(tmpdir(), 'jmapsmith-rw-'));
    const env = { ...places, DATA_DIR: rest, DATABASE_URL: `file:${join(rest, 'jmap.db')}` };
    await expect(startServer({ env })).rejects.toThrow(
      /ended with 1\.[\s\S]*jmapsmith: EROFS.*blobs.*BLOB_STORE/,
    );
    rmSync(rest, { recursive: true });
    remount('rw');
    const next = await startServer({ env: places });
    const { list } = await new Client(next.url, token).get('Todo', { accountId });
    expect(list.map(({ text }) => text)).toEqual(['kept']);
    await next.stop();
    await server.remove();
  });
});

describe.skipIf(mount === null)('a database file that is mounted by itself', () => {
  it('is refused: its log would lie outside of the mount', async () => {
    const server = await startServer({ env: {} });
    await server.stop();
    const file = join(server.dataDir, 'jmap.db');
    const target = join(String(mount), 'single.db');
    writeFileSync(target, '');
    execFileSync('mount', ['--bind', file, target]);
    try {
      await expect(startServer({ env: { DATABASE_URL: `file:${target}` } })).rejects.toThrow(
        /ended with 1\.[\s\S]*single\.db is mounted as a single file.*Mount the folder/,
      );
    } finally {
      execFileSync('umount', [target]);
      await server.remove();
    }
  });
});

/**
 * The attribute has writes to open files fail, as a disk that turned read-only has; ext4 and others
 * know it.
 */
function canFreeze(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-freeze-'));
  const file = join(folder, 'f');
  writeFileSync(file, '');
  const isSet = isRoot && spawnSync('chattr', ['+i', file]).status === 0;
  if (isSet) execFileSync('chattr', ['-i', file]);
  const { stdout = '' } = spawnSync('stat', ['-f', '-c', '%T', folder], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  // On a tmpfs it is taken, and open files are written all the same.
  return isSet && /^ext/.test(stdout);
}

describe.skipIf(!canFreeze())('files that turn read-only under a running server', () => {
  it('writes and uploads are refused, reads go on, and all goes on once it is mended', async () => {
    const rig = await startRig({});
    const { server, load, token, accountId } = rig;
    // Not the log's index: SQLite maps it into memory, and a write there would end the process
    // (SIGBUS).
    const names = ['jmap.db', 'jmap.db-wal', 'blobs/.incoming'];
    const freeze = (how: '+i' | '-i') =>
      execFileSync('chattr', [how, ...names.map((name) => join(server.dataDir, name))]);
    try {
      const stop = load.start(server.url);
      await expectServed(load);
      freeze('+i');
      await eventually(() => expect(load.count('serverUnavailable')).toBeGreaterThan(20), 60_000);
      const client = new Client(server.url, token);
      expect((await client.get('Todo', { accountId, ids: [] })).list).toEqual([]);
      const upload = await client.http(`/jmap/upload/${accountId}`, { method: 'POST', body: 'x' });
      expect([upload.status, upload.headers.get('retry-after')]).toEqual([503, '1']);
      expect((await httpAnswer(`${server.url}/healthz`)).status).toBe(200);
      freeze('-i');
      await expectServed(load);
      await stop();
      await expectSound(rig);
      expect((await client.upload(accountId, 'x', 'text/plain'))['size']).toBe(1);
    } finally {
      freeze('-i');
      await server.remove();
    }
  });
});
