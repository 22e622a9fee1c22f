import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, CORE, httpAnswer } from '../support/client.js';
import { expectProblemStatus } from '../support/expected.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { type RunningServer, startServer } from '../support/server.js';

// Tests what operators expect beside the JMAP endpoints: health, metrics, headers, logs, the first
// start, the end.

let server: RunningServer;
let client: Client;
let accountId: string;

beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'trace', METRICS_TOKEN: 'for-metrics' } });
  ({ accountId, client } = await makeUser(server, 'someone'));
});
afterAll(async () => {
  await server.remove();
});

describe('beside the JMAP endpoints', () => {
  it('GET /healthz and /readyz answer without credentials', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await httpAnswer(server.url + path)).status).toBe(200);
    }
  });

  it('GET /metrics is Prometheus text for the bearer of METRICS_TOKEN alone', async () => {
    await client.get('Todo', { accountId });
    const metrics = (authorization?: string) =>
      httpAnswer(`${server.url}/metrics`, {
        headers: authorization === undefined ? {} : { authorization },
      });
    expectProblemStatus(await metrics(), 401);
    expectProblemStatus(await metrics(`Bearer ${client.token}`), 401);
    const answer = await metrics('Bearer for-metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain\b/);
    expect(answer.text).toMatch(/^# HELP /m);
    for (const secret of [accountId, 'someone', client.token]) {
      expect(answer.text).not.toContain(secret);
    }
  });

  it('every endpoint has the same security headers', async () => {
    const { blobId } = await client.upload(accountId, 'x', 'text/plain');
    const api = { using: [CORE], methodCalls: [] };
    const answers = await Promise.all([
      httpAnswer(`${server.url}/healthz`),
      httpAnswer(`${server.url}/nope`),
      httpAnswer(`${server.url}/.well-known/jmap`),
      client.http('/.well-known/jmap'),
      client.post(JSON.stringify(api)),
      client.post('x'),
      client.http('/jmap'),
      client.http(`/jmap/upload/${accountId}`, { method: 'POST', body: 'x' }),
      client.http(`/jmap/download/${accountId}/${blobId}/x`),
      client.http('/jmap/eventsource?types=x&closeafter=no&ping=0'),
    ]);
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toMatch(/^(SAMEORIGIN|DENY)$/i);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toEqual(expect.any(String));
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('logs are JSON lines with a request id and without any token', async () => {
    await httpAnswer(`${server.url}/.well-known/jmap`, {
      headers: { authorization: 'Bearer some-secret-that-is-wrong' },
    });
    await client.http(
      `/jmap/download/${accountId}/b1/x?ticket=ticket-secret&access_token=url-secret`,
    );
    await eventually(() => {
      const lines = `${server.stdout()}\n${server.stderr()}`
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.filter((line) => typeof line['requestId'] === 'string').length).toBeGreaterThan(
        2,
      );
    });
    const logs = server.stdout() + server.stderr();
    for (const secret of [client.token, 'some-secret', 'ticket-secret', 'url-secret']) {
      expect(logs).not.toContain(secret);
    }
  });

  it('a second server on one file is refused', async () => {
    await expect(startServer({ dataDir: server.dataDir })).rejects.toThrow(/did not start/);
    expect((await client.session())['username']).toBe('someone');
  });
});

describe('the first start', () => {
  it('prints a curl line that reads the token from its file and gets the session', async () => {
    const first = await startServer({ env: { BOOTSTRAP_TOKEN: 'on' } });
    try {
      const line = await eventually(() => {
        const found = first
          .stdout()
          .split('\n')
          .find((text) => text.includes('curl'));
        if (found === undefined) throw new Error(`There is no curl line in ${first.stdout()}`);
        return found;
      });
      const command = line.slice(line.indexOf('curl'));
      const { stdout } = await promisify(execFile)('bash', ['-c', command]);
      const session = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Record<string, unknown>;
      expect(Object.keys(session['accounts'] as object)).toHaveLength(1);
      expect(first.stdout()).not.toMatch(/Bearer [A-Za-z0-9_-]{20,}/);
      const again = await first.restart();
      try {
        expect(again.stdout()).not.toContain('curl');
      } finally {
        await again.stop();
      }
    } finally {
      await first.remove();
    }
  });
});

describe('the end', () => {
  it('SIGTERM lets running requests finish and ends with 0', async () => {
    const ending = await startServer();
    try {
      const { accountId: account, client: user } = await makeUser(ending);
      const create = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`k${index}`, { text: 'x' }]),
      );
      const before = await user.api([]);
      expect(before.methodResponses).toEqual([]);
      const running = user.set('Todo', { accountId: account, create });
      const exit = ending.stop();
      const [answer] = await Promise.allSettled([running]);
      expect(await exit).toEqual({ code: 0, signal: null });
      const restarted = await ending.restart();
      try {
        const { total } = await user.query('Todo', { accountId: account, calculateTotal: true });
        // Taken up, it was finished; come too late, it was not begun.
        expect(total).toBe(answer.status === 'fulfilled' ? 1000 : 0);
      } finally {
        await restarted.stop();
      }
    } finally {
      await ending.remove();
    }
  });

  it('after SIGKILL every acknowledged object is there', async () => {
    const killed = await startServer();
    try {
      const { accountId: account, client: user } = await makeUser(killed);
      const made = await user.set('Todo', { accountId: account, create: { k: { text: 'kept' } } });
      const { blobId } = await user.upload(account, 'kept', 'text/plain');
      await killed.kill();
      const restarted = await killed.restart();
      try {
        const { list, state } = await user.get('Todo', { accountId: account });
        expect([list.length, list[0]?.['text'], state]).toEqual([1, 'kept', made.newState]);
        expect((await user.http(`/jmap/download/${account}/${blobId}/x`)).text).toBe('kept');
      } finally {
        await restarted.stop();
      }
    } finally {
      await killed.remove();
    }
  });
});
