import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';

const postgresql = usePostgresql();
const COUNT = 60;

let servers: readonly RunningServer[] = [];
let token: string;

beforeAll(async () => {
  const env = {
    DATABASE_URL: await postgresql().createDatabase('limits'),
    LOG_LEVEL: 'info',
    RATE_LIMITS: `user:${COUNT}/1h,address:${COUNT}/1h`,
    RATE_LIMITS_STORE: 'database',
  };
  const first = await startServer({ env });
  servers = [first, await startServer({ env })];
  ({ token } = await makeUser(first));
});
afterAll(async () => {
  for (const server of servers) await server.remove();
});

async function ask(server: RunningServer, bearer: string): Promise<number> {
  const response = await fetch(`${server.url}/jmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', {}, 'c']] }),
  });
  await response.text();
  return response.status;
}

/** Four at a time until one is refused; resolves to the number that was not. */
async function askUntilRefused(server: RunningServer, bearer: string): Promise<number> {
  let passed = 0;
  for (;;) {
    const statuses = await Promise.all(Array.from({ length: 4 }, () => ask(server, bearer)));
    const good = statuses.filter((status) => status !== 429).length;
    passed += good;
    if (good < statuses.length) return passed;
  }
}

describe('two servers that count in their database', () => {
  it('together let exactly as many requests of a user pass as the rule allows', async () => {
    const passed = await Promise.all(servers.map((server) => askUntilRefused(server, token)));
    expect(passed.reduce((sum, one) => sum + one, 0)).toBe(COUNT);
    expect(Math.min(...passed)).toBeGreaterThan(0);
  });

  it('together let exactly as many wrong tokens of an address be looked up', async () => {
    const passed = await Promise.all(servers.map((server) => askUntilRefused(server, 'wrong')));
    // The good token was unknown to each server once, and has been uncounted.
    expect(passed.reduce((sum, one) => sum + one, 0)).toBe(COUNT);
  });

  it('say nothing of those whom they have refused, nor fail at the end', async () => {
    for (const server of servers) expect((await server.stop()).code).toBe(0);
    for (const server of servers) {
      expect(server.stderr()).toContain('"status":"429"');
      expect(server.stderr()).not.toMatch(/"127\.0\.0\.1"|rate limits|"level":(50|60)/);
    }
  });
});
