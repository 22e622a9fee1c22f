import { execFileSync } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { startServer } from '../support/server.js';
import { expectServed, expectSound, logLines, type Rig, startRig } from './rig.js';

/** Others change SQLite's files under a running server. */

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.server.remove();
  rig = undefined;
});

const fileOf = ({ server }: Rig): string => join(server.dataDir, 'jmap.db');
const reasons = ({ server }: Rig): readonly string[] =>
  logLines(server)
    .filter(({ msg }) => msg === 'unavailable')
    .map((line) => String((line as unknown as { reason: string }).reason));

describe('another process holds the write lock', () => {
  it.each([
    ['writes wait for 1 s, and all are made', 1000, {}, 0],
    [
      '10 s, beyond REQUEST_TIMEOUT: serverUnavailable, then writes go on',
      10_000,
      { REQUEST_TIMEOUT: '2s' },
      1,
    ],
  ] as const)('%s', async (_, hold, env, refusals) => {
    rig = await startRig(env);
    const { server, load, accountId, token } = rig;
    const stop = load.start(server.url);
    await expectServed(load);
    const other = new SqliteDatabase(fileOf(rig), { timeout: 10_000 });
    other.exec('BEGIN IMMEDIATE');
    const before = load.acknowledged;
    const until = performance.now() + hold;
    const client = new Client(server.url, token);
    let reads = 0;
    while (performance.now() < until) {
      await client.get('Todo', { accountId, ids: [] });
      reads += 1;
      await pause(50);
    }
    // Those on their way when the lock was taken had their commit.
    expect(load.acknowledged - before).toBeLessThanOrEqual(16);
    expect(reads).toBeGreaterThan(5);
    expect(load.count('serverUnavailable')).toBeGreaterThanOrEqual(refusals);
    if (refusals === 0) expect(load.count('serverUnavailable')).toBe(0);
    other.exec('ROLLBACK');
    other.close();
    await expectServed(load);
    await stop();
    await expectSound(rig);
    if (refusals === 0) return;
    // Told once a cause, not for each of the hundred calls that were refused.
    expect(reasons(rig).join('\n')).toMatch(/Another process is writing|REQUEST_TIMEOUT/);
    expect(reasons(rig).length).toBeLessThan(5);
  });
});

describe('a limit on the size of files', () => {
  it('under writers: serverUnavailable, reads go on; writes too once it is lifted', async () => {
    rig = await startRig({});
    const { server, load, accountId, token } = rig;
    const stop = load.start(server.url);
    await expectServed(load);
    const size = statSync(`${fileOf(rig)}-wal`).size + 16_384;
    execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${size}:unlimited`]);
    await eventually(() => expect(load.count('serverUnavailable')).toBeGreaterThan(20), 60_000);
    const client = new Client(server.url, token);
    expect((await client.get('Todo', { accountId, ids: [] })).list).toEqual([]);
    execFileSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited:unlimited']);
    await expectServed(load);
    await stop();
    await expectSound(rig);
    expect(reasons(rig).join('\n')).toMatch(/SQLITE_(IOERR|FULL)/);
    expect(reasons(rig).length).toBeLessThan(10);
  });
});

describe('a database whose pages were written over', () => {
  /** Objects enough for many pages, in the file itself. */
  async function filled(): Promise<Rig> {
    const started = await startRig({}, { writers: 2 });
    const client = new Client(started.server.url, started.token);
    for (let n = 0; n < 10; n += 1) {
      const create = Object.fromEntries(
        Array.from({ length: 400 }, (_, k) => [`k${k}`, { text: `${n} ${k} ${'x'.repeat(200)}` }]),
      );
      await client.set('Todo', { accountId: started.accountId, create });
    }
    return started;
  }

  /** Overwrites the middle half of a file with noise. */
  function spoil(file: string): void {
    const { size } = statSync(file);
    const handle = openSync(file, 'r+');
    const noise = Buffer.alloc(Math.floor(size / 2), 0xa5);
    writeSync(handle, noise, 0, noise.length, Math.floor(size / 4));
    closeSync(handle);
  }

  it('backup refuses it; where SQLite sees it the answer is serverFail', async () => {
    rig = await filled();
    const { server, accountId, token } = rig;
    const reader = new Client(server.url, token);
    const { ids: all } = await reader.query('Todo', { accountId, limit: 400 });
    const before = await reader.get('Todo', { accountId, ids: all });
    await server.stop();
    spoil(fileOf(rig));
    const damaged = await startServer({ dataDir: server.dataDir }).catch(String);
    if (typeof damaged === 'string') {
      expect(damaged).toMatch(/ended with (1|70)/);
      return;
    }
    try {
      const client = new Client(damaged.url, token);
      const known = new Map(before.list.map((item) => [item['id'], item]));
      let failed = 0;
      for (const ids of [all, ...before.list.slice(0, 200).map(({ id }) => [String(id)])]) {
        const answer = await client.post(
          JSON.stringify({
            using: client.using,
            methodCalls: [['Todo/get', { accountId, ids }, 'c']],
          }),
        );
        if (answer.status !== 200) {
          failed += 1;
          continue;
        }
        const [name, args] = (answer.json as unknown as { methodResponses: [[string, never]] })
          .methodResponses[0];
        if (name === 'error') {
          expect(args).toMatchObject({ type: 'serverFail' });
          failed += 1;
          continue;
        }
        const { list } = args as { list: { id: string }[] };
        for (const item of list) expect(item).toEqual(known.get(item.id));
      }
      expect(failed).toBeGreaterThan(0);
      const backup = await damaged.command('scripts/backup', [join(server.dataDir, 'b.tar')]);
      expect(backup).toMatchObject({ code: 2, stderr: expect.stringMatching(/damaged|malformed/) });
    } finally {
      await damaged.kill();
    }
  });
});

describe('the data folder', () => {
  it('is moved away under writers and comes back: nothing acknowledged is lost', async () => {
    rig = await startRig({});
    const { server, load } = rig;
    const stop = load.start(server.url);
    await expectServed(load);
    renameSync(server.dataDir, `${server.dataDir}-away`);
    await pause(1000);
    renameSync(`${server.dataDir}-away`, server.dataDir);
    await expectServed(load);
    await stop();
    await expectSound(rig);
  });
});
