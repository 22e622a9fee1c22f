import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ForgedTokenError, TokenRefusedError } from '../../src/accounts/oidc/access-token.js';
import type { JudgeLogout } from '../../src/accounts/oidc/back-channel.js';
import { OWN_TOKENS } from '../../src/http/identity.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import {
  ECHO,
  type Harness,
  http,
  OTHER_TOKEN,
  post,
  startHarness,
  TOKEN,
  until,
} from './harness.js';

const LIMIT = 'urn:ietf:params:jmap:error:limit';

/** A request from a client behind the proxy that the tests are. */
function from(
  harness: Harness,
  address: string,
  token: string | null = 'wrong',
): Promise<Response> {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'x-forwarded-for': address, ...authorization };
  return fetch(`${harness.url}/.well-known/jmap`, { headers });
}

async function statusesFrom(
  harness: Harness,
  address: string,
  tokens: readonly (string | null)[],
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const token of tokens) {
    const response = await from(harness, address, token);
    await response.text();
    statuses.push(response.status);
  }
  return statuses;
}

const PROXY = { TRUST_PROXY: 'loopback' };

describe('a rule for users', () => {
  it('a request beyond it is 429, and tells the rule and when to come again', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:2/1m' } });
    for (const left of [1, 0]) {
      const response = await post(harness, ECHO);
      expect(response.status).toBe(200);
      expect(response.headers.get('ratelimit-policy')).toBe('"user";q=2;w=60');
      expect(response.headers.get('ratelimit')).toMatch(
        new RegExp(`^"user";r=${left};t=(60|5\\d)$`),
      );
      expect(response.headers.has('retry-after')).toBe(false);
    }
    const refused = await post(harness, ECHO);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(refused.headers.get('ratelimit')).toBe(`"user";r=0;t=${seconds}`);
    expect(seconds).toBeGreaterThan(30);
    expect(await refused.json()).toEqual({
      type: LIMIT,
      status: 429,
      limit: 'user',
      retryAfter: seconds,
      detail: expect.stringContaining('2 in 60 s'),
    });
  });

  it('counts each way to the server, and each user apart', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:3/1h' } });
    expect((await post(harness, ECHO)).status).toBe(200);
    expect((await http(harness, '/.well-known/jmap')).status).toBe(200);
    expect((await http(harness, '/jmap/ticket', { method: 'POST' })).status).toBe(200);
    for (const path of ['/.well-known/jmap', '/jmap/reference', '/jmap/eventsource'])
      expect((await http(harness, path)).status).toBe(429);
    expect((await post(harness, ECHO, OTHER_TOKEN)).status).toBe(200);
  });

  it('counts no request that needs no user, and no wrong token', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:1/1h' } });
    for (const path of ['/healthz', '/readyz', '/metrics', '/nothing']) {
      const response = await http(harness, path);
      expect(response.headers.has('ratelimit')).toBe(false);
    }
    expect((await http(harness, '/jmap', { method: 'OPTIONS' })).status).toBe(204);
    expect((await http(harness, '/jmap')).status).toBe(405);
    for (let at = 0; at < 5; at += 1)
      expect((await post(harness, ECHO, 'wrong')).headers.has('ratelimit')).toBe(false);
    expect((await post(harness, ECHO)).status).toBe(200);
    expect((await post(harness, ECHO)).status).toBe(429);
  });

  it('the rule that refuses is named, and counted in the metrics', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'user:50/1h,user:1/1m' } });
    await post(harness, ECHO);
    const refused = await post(harness, ECHO);
    expect(await refused.json()).toMatchObject({ limit: 'user-60s' });
    expect(refused.headers.get('ratelimit-policy')).toBe('"user";q=50;w=3600, "user-60s";q=1;w=60');
    expect(await harness.metrics.text()).toContain('jmap_rate_limited_total{rule="user-60s"} 1');
  });

  it('pages of other origins may read what it says', async () => {
    const env = { RATE_LIMITS: 'user:1/1m', CORS_ORIGINS: 'https://app.example' };
    const harness = await startHarness({ env });
    await post(harness, ECHO);
    const refused = await http(harness, '/jmap/reference', {
      headers: { origin: 'https://app.example' },
    });
    expect(refused.status).toBe(429);
    const exposed = refused.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After']),
    );
  });

  it('no rule adds no header', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'off' } });
    for (const response of [await post(harness, ECHO), await post(harness, ECHO, 'wrong')]) {
      expect(response.headers.has('ratelimit')).toBe(false);
      expect(response.headers.has('ratelimit-policy')).toBe(false);
    }
  });
});

describe('a rule for addresses', () => {
  const env = { ...PROXY, RATE_LIMITS: 'address:3/1h' };

  it('refuses wrong, malformed and missing credentials beyond it', async () => {
    const harness = await startHarness({ env });
    const tokens = ['wrong', 'ma formed', null, 'other', null];
    expect(await statusesFrom(harness, '203.0.113.7', tokens)).toEqual([401, 401, 401, 429, 429]);
    const refused = await from(harness, '203.0.113.7');
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=3;w=3600');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(await refused.json()).toMatchObject({ type: LIMIT, limit: 'address', status: 429 });
    expect(await statusesFrom(harness, '203.0.113.8', ['wrong'])).toEqual([401]);
  });

  it('never refuses a token that has proved good, and counts none', async () => {
    const harness = await startHarness({ env });
    const good = Array.from({ length: 9 }, () => TOKEN);
    expect(new Set(await statusesFrom(harness, '203.0.113.7', good))).toEqual(new Set([200]));
    const first = await from(harness, '203.0.113.7', TOKEN);
    expect(first.headers.has('ratelimit')).toBe(false);
    const wrong = ['a', 'b', 'c', 'd'];
    expect(await statusesFrom(harness, '203.0.113.7', wrong)).toEqual([401, 401, 401, 429]);
    expect(await statusesFrom(harness, '203.0.113.7', good)).not.toContain(429);
    // The first use of another one waits.
    expect(await statusesFrom(harness, '203.0.113.7', [OTHER_TOKEN])).toEqual([429]);
    expect(await statusesFrom(harness, '203.0.113.9', [OTHER_TOKEN])).toEqual([200]);
    expect(await statusesFrom(harness, '203.0.113.7', [OTHER_TOKEN])).toEqual([200]);
  });

  it('guesses that come at once are counted before they are looked up', async () => {
    const harness = await startHarness({ env });
    let looked = 0;
    const { refresh } = harness.users;
    harness.users.refresh = async (credential) => {
      looked += 1;
      return refresh.call(harness.users, credential);
    };
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => from(harness, '203.0.113.7', `guess${at}`)),
    );
    const statuses = all.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(3).fill(401), ...Array(17).fill(429)]);
    expect(looked).toBe(3);
  });

  it('counts IPv6 by 64 bits, and IPv4 as what it is', async () => {
    const harness = await startHarness({ env: { ...env, RATE_LIMITS: 'address:1/1h' } });
    expect(await statusesFrom(harness, '2001:db8:1:2::1', ['a'])).toEqual([401]);
    expect(await statusesFrom(harness, '2001:db8:1:2:3::4', ['a'])).toEqual([429]);
    expect(await statusesFrom(harness, '2001:db8:1:3::1', ['a'])).toEqual([401]);
    expect(await statusesFrom(harness, '203.0.113.7', ['a'])).toEqual([401]);
    expect(await statusesFrom(harness, '::ffff:203.0.113.7', ['a'])).toEqual([429]);
    expect(await statusesFrom(harness, '::ffff:203.0.113.8', ['a'])).toEqual([401]);
  });

  it('believes no client that says where it comes from', async () => {
    const harness = await startHarness({ env: { RATE_LIMITS: 'address:2/1h' } });
    expect(await statusesFrom(harness, '203.0.113.7', ['a'])).toEqual([401]);
    expect(await statusesFrom(harness, '203.0.113.8', ['a'])).toEqual([401]);
    expect(await statusesFrom(harness, '203.0.113.9', ['a'])).toEqual([429]);
    await until(() => harness.logs.some((line) => line.includes('TRUST_PROXY')));
    const warnings = harness.logs.filter((line) => line.includes('TRUST_PROXY'));
    expect(warnings).toHaveLength(1);
    expect(harness.logs.join('')).not.toMatch(/203\.0\.113|127\.0\.0\.1/);
  });

  it('a ticket counts while it is looked up, a wrong one stays counted', async () => {
    const harness = await startHarness({ env: { ...env, RATE_LIMITS: 'address:1/1h' } });
    const stream = async (ticket: string): Promise<number> => {
      const query = `types=*&closeafter=state&ping=0&ticket=${ticket}`;
      const abort = new AbortController();
      const response = await fetch(`${harness.url}/jmap/eventsource?${query}`, {
        headers: { 'x-forwarded-for': '203.0.113.7' },
        signal: abort.signal,
      });
      abort.abort();
      return response.status;
    };
    for (let at = 0; at < 3; at += 1) {
      const made = await http(harness, '/jmap/ticket', { method: 'POST' });
      const { ticket } = (await made.json()) as { ticket: string };
      expect(await stream(ticket)).toBe(200);
    }
    expect(await stream('wrong')).toBe(401);
    expect(await stream('wrong')).toBe(429);
  });

  it('counts tokens of which nobody can know whether they are good', async () => {
    const harness = await startHarness({ env });
    const { refresh } = harness.users;
    harness.users.refresh = async () => {
      throw new UnavailableError('The access tables could not be read.');
    };
    const tokens = Array.from({ length: 9 }, (_, n) => `unknown${n}`);
    const statuses = await statusesFrom(harness, '203.0.113.7', tokens);
    expect(statuses).toEqual([503, 503, 503, 429, 429, 429, 429, 429, 429]);
    harness.users.refresh = (credential) => refresh.call(harness.users, credential);
    expect(await statusesFrom(harness, '203.0.113.8', ['a', 'b', 'c', 'd'])).toEqual([
      401, 401, 401, 429,
    ]);
  });
});

describe('a logout token of a provider', () => {
  /** A server that refuses tokens but `good` ones and one whose keys are `away`. */
  async function startWithLogout() {
    const looked: string[] = [];
    const judgeLogout: JudgeLogout = async (token, gate) => {
      if (token === 'others') throw new TokenRefusedError('"iss" is no provider of this server');
      await gate();
      looked.push(token);
      await setImmediate();
      if (token === 'away') throw new UnavailableError('away');
      if (token === 'late') throw new TokenRefusedError('"exp" is over');
      if (token !== 'good' && token !== 'used') throw new ForgedTokenError('ERR_JWS');
      return async () => {
        if (token === 'used') throw new TokenRefusedError('it was used before');
      };
    };
    const env = { ...PROXY, RATE_LIMITS: 'address:3/1h' };
    const harness = await startHarness({ env, identity: { ...OWN_TOKENS, judgeLogout } });
    const send = async (form: Readonly<Record<string, string>>, address = '203.0.113.7') =>
      fetch(`${harness.url}/oidc/logout`, {
        ...{ method: 'POST', body: new URLSearchParams(form) },
        headers: { 'x-forwarded-for': address },
      });
    const statusesOf = async (tokens: readonly string[], address?: string) => {
      const statuses: number[] = [];
      for (const token of tokens)
        statuses.push((await send({ logout_token: token }, address)).status);
      return statuses;
    };
    return { harness, looked, send, statusesOf };
  }

  it('counts by its address where it is forged, and is 429 beyond the rule', async () => {
    const { looked, send, statusesOf } = await startWithLogout();
    const wrong = await send({ logout_token: 'a' });
    expect([wrong.status, wrong.headers.get('ratelimit')]).toEqual([
      400,
      expect.stringMatching(/^"address";r=2;t=\d+$/),
    ]);
    expect(await statusesOf(['b', 'c', 'd', 'e', 'good'])).toEqual([400, 400, 429, 429, 429]);
    const refused = await send({ logout_token: 'f' });
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=3;w=3600');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(await refused.json()).toMatchObject({ type: LIMIT, limit: 'address', status: 429 });
    expect(await statusesOf(['g', 'good'], '203.0.113.8')).toEqual([400, 200]);
    expect(looked).toEqual(['a', 'b', 'c', 'd', 'g', 'good']);
  });

  it('never counts where it is good, however many come at once', async () => {
    const { send, statusesOf } = await startWithLogout();
    const all = await Promise.all(Array.from({ length: 50 }, () => send({ logout_token: 'good' })));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(all.some(({ headers }) => headers.has('ratelimit'))).toBe(false);
    expect(await statusesOf(['a', 'b', 'c', 'd'])).toEqual([400, 400, 400, 429]);
  });

  it('never counts where it is refused for another reason', async () => {
    const { send, statusesOf } = await startWithLogout();
    expect((await send({ other: 'x' })).status).toBe(400);
    for (const [token, status] of [
      ['others', 400],
      ['away', 503],
      ['used', 400],
    ] as const)
      expect(await statusesOf(Array(4).fill(token))).toEqual(Array(4).fill(status));
    expect(await statusesOf(['a', 'b', 'c', 'd'])).toEqual([400, 400, 400, 429]);
  });

  it('counts apart from wrong bearer tokens', async () => {
    const { harness, statusesOf } = await startWithLogout();
    const guesses = ['a', 'b', 'c', 'd'];
    expect(await statusesFrom(harness, '203.0.113.7', guesses)).toEqual([401, 401, 401, 429]);
    expect(await statusesOf(['good', ...guesses])).toEqual([200, 400, 400, 400, 429]);
  });
});

describe('without RATE_LIMITS', () => {
  const many = Array.from({ length: 120 }, (_, at) => `guess${at}`);

  it('a public address may guess a hundred times a minute', async () => {
    const harness = await startHarness({ env: PROXY });
    const statuses = await statusesFrom(harness, '198.51.101.7', many);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('an address that many clients may have is not counted', async () => {
    const harness = await startHarness();
    expect(new Set(await statusesFrom(harness, '198.51.101.7', many))).toEqual(new Set([401]));
  });

  it('users are not counted', async () => {
    const harness = await startHarness();
    expect((await post(harness, ECHO)).headers.has('ratelimit-policy')).toBe(false);
  });
});
