import { readdir, readlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';

/**
 * A compiled server scans in threads of its own: each has the database open a further time, which
 * Linux tells of a process.
 */
const OBJECTS = 20_000;

const describeLinux = process.platform === 'linux' ? describe : describe.skip;

describeLinux('A server that scans', () => {
  let server: RunningServer;
  let fixtures: Fixtures;

  beforeAll(async () => {
    const env = { SCAN_THREADS: '2', MAX_CONCURRENT_REQUESTS: '32' };
    server = await startServer({ env });
    fixtures = await makeFixtures(server, []);
    for (let stored = 0; stored < OBJECTS; stored += 1000) {
      const todos = Array.from({ length: 1000 }, (_, n) => [
        `k${n}`,
        { text: `Thing number ${stored + n}` },
      ]);
      await ok('Todo/set', {
        accountId: fixtures.A1,
        create: Object.fromEntries(todos),
      });
    }
    // A thread has moved the log into the database meanwhile: what is counted begins without one.
    server = await server.restart();
  });
  afterAll(() => server?.remove());

  async function ok(name: string, args: object): Promise<unknown> {
    const [answered, result] = await fixtures.u1.call(name, args);
    expect(answered).toBe(name);
    return result;
  }

  /** How often the process has the database open. */
  async function opened(): Promise<number> {
    const folder = `/proc/${server.pid}/fd`;
    const files = await Promise.all(
      (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')),
    );
    return files.filter((file) => file.endsWith('/jmap.db')).length;
  }

  const scan = (text: string) =>
    ok('Todo/query', {
      accountId: fixtures.A1,
      filter: { text },
      sort: [{ property: 'text' }],
      limit: 5,
    });

  it('scans in a thread, with the same answers; short pages by an index stay', async () => {
    const before = await opened();
    const newest = { accountId: fixtures.A1, sort: [{ property: 'created', isAscending: false }] };
    await ok('Todo/query', { ...newest, limit: 5 });
    expect(await opened()).toBe(before);
    const first = await scan('number 7');
    for (let n = 0; n < 3; n += 1) expect(await scan('number 7')).toEqual(first);
    expect(await opened()).toBe(before + 1);
    // One account has all but one of them.
    await Promise.all(Array.from({ length: 8 }, (_, n) => scan(`number ${n}`)));
    expect(await opened()).toBe(before + 1);
  });

  it('ends in order, whatever its threads do', async () => {
    // A request may come too late to be answered.
    const last = scan('nothing has this text').catch(() => undefined);
    const { code } = await server.stop();
    await last;
    expect(code).toBe(0);
  });
});
