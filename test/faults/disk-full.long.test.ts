import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { makeToken } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { ChangingLoad } from './changing-load.js';
import { expectServed, expectSound, type Rig, startRig } from './rig.js';

const SIZE = '24m';
const BALLAST = 'ballast';

/** A file system of 24 MB, if this user may mount one. */
function mountSmall(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

const folder = mountSmall();
afterAll(() => {
  if (folder === null) return;
  execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** Takes all that is left of the file system. */
function fill(): void {
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeFileSync(join(String(folder), BALLAST), piece, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function makeRoom(): void {
  rmSync(join(String(folder), BALLAST), { force: true });
}

// Mounting needs root: elsewhere the simulated full disk of test/database/writer.test.ts stands
// alone.
describe.skipIf(folder === null)('a disk that is full, database, blobs and all', () => {
  let rig: Rig;

  beforeAll(async () => {
    const data = join(String(folder), 'data');
    mkdirSync(data);
    rig = await startRig({
      DATABASE_URL: `file:${join(data, 'jmap.db')}`,
      BLOB_STORE: `file:${join(data, 'blobs')}`,
    });
  });
  afterAll(() => rig.server.remove());

  it('under writers: serverUnavailable until there is room; acknowledged writes stay', async () => {
    for (let round = 0; round < 3; round += 1) {
      const stop = rig.load.start(rig.server.url);
      await expectServed(rig.load);
      const before = rig.load.count('serverUnavailable');
      // The write-ahead log has room of its own that is used again: what is written goes on for a
      // while.
      await eventually(() => {
        fill();
        expect(rig.load.count('serverUnavailable')).toBeGreaterThan(before + 20);
      });
      // Reading goes on.
      const client = new Client(rig.server.url, rig.token);
      const { list } = await client.get('Todo', { accountId: rig.accountId, ids: [] });
      expect(list).toEqual([]);
      makeRoom();
      await expectServed(rig.load);
      await stop();
      await expectSound(rig);
    }
  });

  it('under updates and destroys: acknowledged changes stay, refused ones don’t', async () => {
    const { server } = rig;
    const made = ['create', '--name', 'B', '--user', 'v'];
    const accountId = await server.tool('scripts/account', made);
    const load = new ChangingLoad(accountId, await makeToken(server, ['--user', 'v']));
    await load.prepare(server.url, 8);
    const served = async (): Promise<void> => {
      const before = load.acknowledged;
      await eventually(() => expect(load.acknowledged).toBeGreaterThan(before + 40), 60_000);
    };
    for (let round = 0; round < 3; round += 1) {
      const stop = load.start(server.url);
      await served();
      const before = load.refused;
      await eventually(() => {
        fill();
        expect(load.refused).toBeGreaterThan(before + 20);
      });
      // Looked at while the disk is full, too: what was refused can't be read either.
      await stop();
      await load.expectKept(server.url);
      const again = load.start(server.url);
      makeRoom();
      await served();
      await again();
      await load.expectKept(server.url);
    }
    await expectSound(rig);
  });

  it('under uploads: 503, no file is left, and a later upload is kept', async () => {
    const client = new Client(rig.server.url, rig.token);
    const files = () => {
      const blobs = join(String(folder), 'data', 'blobs');
      return readdirSync(blobs, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    };
    const octets = Buffer.alloc(512 * 1024, 'x');
    const before = files();
    fill();
    const answer = await client.http(`/jmap/upload/${rig.accountId}`, {
      method: 'POST',
      body: octets,
      headers: { 'content-type': 'text/plain' },
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(files()).toEqual(before);
    makeRoom();
    const { blobId } = await client.upload(rig.accountId, octets, 'text/plain');
    expect(files()).toEqual([...before, blobId]);
    await expectSound(rig);
  });

  it('at a start: refused with the reason, and the next one with room serves', async () => {
    fill();
    const other = join(String(folder), 'other', 'jmap.db');
    const env = { DATABASE_URL: `file:${other}` };
    const { startServer } = await import('../support/server.js');
    await expect(startServer({ env })).rejects.toThrow(
      /ended with 1[\s\S]*jmapsmith: .*(full|ENOSPC)/,
    );
    makeRoom();
    const server = await startServer({ env });
    await server.remove();
  });
});
