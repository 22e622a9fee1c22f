import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { useOwnPostgresql } from '../support/postgresql.js';
import { expectServed, expectSound, logLines, type Rig, startRig } from './rig.js';

/** PostgreSQL's own files and some room: it keeps five segments of its log of 16 MB each. */
const SIZE = '300m';

/** A small file system that temporary folders are made in, if this user may mount one. */
function mountSmall(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-small-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${SIZE},mode=1777`, 'tmpfs', folder];
    execFileSync('mount', options, { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

const small = mountSmall();

describe.skipIf(small === null)('the disk of PostgreSQL is full', () => {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = small ?? before;
  const postgresql = useOwnPostgresql();
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  let rig: Rig | undefined;

  afterEach(() => rig?.server.remove());
  // Hooks run in turn from the last: PostgreSQL is gone by then, or its files are kept until it is.
  afterAll(() => {
    execFileSync('umount', ['-l', String(small)]);
    rmSync(String(small), { recursive: true, force: true });
  });

  const ballast = join(String(small), 'ballast');
  function fill(): void {
    const piece = Buffer.alloc(64 * 1024);
    try {
      for (;;) writeFileSync(ballast, piece, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  it('under writers: serverUnavailable until there is room; acknowledged writes stay', async () => {
    const url = await postgresql().createDatabase('full');
    rig = await startRig({ DATABASE_URL: url });
    const { server, load, accountId, token } = rig;
    const stop = load.start(server.url);
    await expectServed(load);
    const refused = () => load.count('serverUnavailable') + load.count('503');
    const sofar = refused();
    // Its log has segments of its own that are used again: what is written goes on for a while.
    await eventually(() => {
      fill();
      expect(refused()).toBeGreaterThan(sofar + 20);
    });
    rmSync(ballast, { force: true });
    // Where its log found no room it ended, as it should: it is started again, the server is not.
    const client = new Client(server.url, token);
    const answers = () => client.get('Todo', { accountId, ids: [] });
    await eventually(answers, 10_000).catch(() => postgresql().start());
    await expectServed(load);
    await stop();
    await expectSound(rig);
    const reasons = logLines(server).filter(({ msg }) => msg === 'unavailable');
    expect(JSON.stringify(reasons)).toMatch(/No space left|53100|ECONN|57P0/);
  });
});
