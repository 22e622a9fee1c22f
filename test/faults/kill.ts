import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { makeToken } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { startServer } from '../support/server.js';
import { Load } from './load.js';

const WRITERS = 16;

/**
 * Kills a server `rounds` times while clients write, and looks each time whether all they were told
 * is there.
 * `more`: the database, where it is not the server's own file.
 */
export async function killUnderLoad(
  rounds: number,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { MAX_CONCURRENT_REQUESTS: '64', ...more };
  let server = await startServer({ env });
  try {
    const args = ['create', '--name', 'A', '--user', 'u'];
    const accountId = await server.tool('scripts/account', args);
    const token = await makeToken(server, ['--user', 'u']);
    const load = new Load({ accountId, token, writers: WRITERS });
    for (let round = 0; round < rounds; round += 1) {
      const before = load.acknowledged;
      const stop = load.start(server.url);
      // The moment moves, so that the kills meet all parts of a commit.
      await eventually(() => expect(load.acknowledged).toBeGreaterThan(before + WRITERS));
      await pause((round * 37) % 400);
      await server.kill();
      await stop();

      // A second process on the folder of the one that was killed.
      server = await startServer({ dataDir: server.dataDir, env });
      await load.expectKept(server.url);
    }
    // A server that is there refuses nothing: what didn't get an answer was cut.
    expect([...load.answers.keys()].sort()).toEqual(['cut', 'ok']);
  } finally {
    await server.remove();
  }
}
