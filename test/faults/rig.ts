import { expect } from 'vitest';
import { httpAnswer } from '../support/client.js';
import { makeToken } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { type RunningServer, startServer } from '../support/server.js';
import { Load } from './load.js';

export interface Rig {
  readonly server: RunningServer;
  readonly accountId: string;
  readonly token: string;
  readonly load: Load;
}

/** A server, an account, and clients that write to it. */
export async function startRig(
  env: Readonly<Record<string, string>>,
  { writers = 16, direct = {} }: { writers?: number; direct?: Record<string, string> } = {},
): Promise<Rig> {
  const server = await startServer({ env: { MAX_CONCURRENT_REQUESTS: '64', ...env, ...direct } });
  const accountId = await server.tool('scripts/account', ['create', '--name', 'A', '--user', 'u']);
  const token = await makeToken(server, ['--user', 'u']);
  return { server, accountId, token, load: new Load({ accountId, token, writers }) };
}

/** Waits until `count` further /sets are acknowledged: the server serves, by itself. */
export async function expectServed(load: Load, count = 40, timeout = 60_000): Promise<void> {
  const before = load.acknowledged;
  await eventually(() => expect(load.acknowledged).toBeGreaterThan(before + count), timeout);
}

/** The process is the one that was started, its log has no defect, and it is ready. */
export async function expectSound({ server, load }: Rig): Promise<void> {
  await eventually(async () => {
    expect((await httpAnswer(`${server.url}/readyz`)).status).toBe(200);
  });
  await load.expectKept(server.url);
  // Level 50 and 60: what nobody expected.
  expect(logLines(server).filter(({ level }) => level >= 50)).toEqual([]);
  expect(() => process.kill(server.pid, 0)).not.toThrow();
}

export function logLines(server: RunningServer): readonly { level: number; msg: string }[] {
  return `${server.stdout()}\n${server.stderr()}`
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string });
}
