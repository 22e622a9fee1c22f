import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BLOB,
  Client,
  CORE,
  EXPLAIN,
  httpAnswer,
  NOTES,
  ONCE,
  PUSH,
  REFERENCE,
  rawHttp,
  SYNC,
  TODOS,
  WEBSOCKET,
} from '../support/client.js';
import { expectProblemStatus, member, sameMembers, serverId } from '../support/expected.js';
import { makeSpecialTokens, makeToken, makeUser, useFixtures } from '../support/fixtures.js';
import type { JsonMap } from '../support/json.js';
import { eventually } from '../support/poll.js';
import { type RunningServer, startServer } from '../support/server.js';

const EVENT_SOURCE = '/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}';

const { server, fixtures } = useFixtures({}, ['A2', 'AR', 'AN', 'AT', 'AX', 'u2']);

describe('session resource', () => {
  it('RFC 8620 2: the session has every field, each of the right type', async () => {
    const answer = await fixtures().u1.http('/.well-known/jmap', { redirect: 'manual' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    const { url } = server();
    expect(answer.json).toEqual({
      capabilities: expect.any(Object),
      accounts: expect.any(Object),
      primaryAccounts: expect.any(Object),
      username: 'u1',
      apiUrl: `${url}/jmap`,
      uploadUrl: `${url}/jmap/upload/{accountId}`,
      downloadUrl: `${url}/jmap/download/{accountId}/{blobId}/{name}?type={type}`,
      eventSourceUrl: `${url}/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}`,
      state: expect.any(String),
    });
  });

  it('the session has the default limits and the collations', async () => {
    const core = member((await fixtures().u1.session())['capabilities'], CORE);
    expect(core).toEqual(
      expect.objectContaining({
        maxConcurrentUpload: 4,
        maxSizeRequest: 10_000_000,
        maxConcurrentRequests: 8,
        maxCallsInRequest: 32,
        maxObjectsInGet: 1000,
        maxObjectsInSet: 1000,
        collationAlgorithms: sameMembers([
          'i;unicode-casemap',
          'i;ascii-casemap',
          'i;ascii-numeric',
          'i;octet',
        ]),
      }),
    );
    expect(core['maxSizeUpload']).toBeGreaterThanOrEqual(250_000_000);
  });

  it('RFC 8620 2: accounts has every account that the token reaches, and no other', async () => {
    const { A1, A2, AR, AN, AT, u1 } = fixtures();
    const accounts = (await u1.session())['accounts'];
    const account = (name: string, isPersonal = true, isReadOnly = false) => ({
      name,
      isPersonal,
      isReadOnly,
      accountCapabilities: expect.any(Object),
    });
    expect(accounts).toEqual({
      [A1]: account('A1'),
      [A2]: account('A2'),
      [AR]: account('AR', false, true),
      [AN]: account('AN'),
      [AT]: account('AT'),
    });
    for (const id of [A1, A2, AR, AN, AT]) expect(id).toEqual(serverId);
  });

  it('RFC 8620 2: accountCapabilities shows what an account may use', async () => {
    const { A1, AN, AT, u1 } = fixtures();
    const { accounts } = await u1.session();
    const urns = (id: string) =>
      Object.keys(member(member(accounts, id), 'accountCapabilities')).filter(
        (urn) => urn !== CORE,
      );
    expect(urns(A1)).toEqual(expect.arrayContaining([TODOS, NOTES, BLOB]));
    expect(urns(AN)).toEqual([NOTES]);
    expect(urns(AT)).toEqual([TODOS]);
  });

  it('RFC 8620 2: primaryAccounts names a capability’s first account, not core', async () => {
    const { A1, u1 } = fixtures();
    const primary = (await u1.session())['primaryAccounts'];
    expect(primary).toEqual(expect.objectContaining({ [TODOS]: A1, [NOTES]: A1, [BLOB]: A1 }));
    expect(primary).not.toHaveProperty([CORE]);
  });

  it('RFC 8620 2: capabilities has every capability of the project', async () => {
    const { capabilities } = await fixtures().u1.session();
    expect(Object.keys(capabilities as JsonMap).sort()).toEqual(
      [BLOB, CORE, EXPLAIN, NOTES, ONCE, PUSH, REFERENCE, SYNC, TODOS, WEBSOCKET].sort(),
    );
    expect(member(capabilities, WEBSOCKET)).toEqual(
      expect.objectContaining({
        url: `${server().url.replace('http', 'ws')}/jmap/ws`,
        supportsPush: true,
      }),
    );
  });

  it('the reference’s URL template leads to the description of each capability', async () => {
    const { u1 } = fixtures();
    const { capabilities, primaryAccounts } = await u1.session();
    const { url } = member(capabilities, REFERENCE) as { readonly url: string };
    expect(url).toBe(`${server().url}/jmap/reference?capability={capability}`);
    expect(primaryAccounts).not.toHaveProperty([REFERENCE]);
    for (const urn of Object.keys(capabilities as JsonMap)) {
      const path = url.slice(server().url.length).replace('{capability}', encodeURIComponent(urn));
      const answer = await u1.http(path);
      expect(answer.json).toEqual(expect.objectContaining({ capability: urn }));
      const types = Object.keys((answer.json as JsonMap)['types'] ?? {});
      expect(types).toEqual(urn === TODOS ? ['Todo'] : urn === NOTES ? ['Note'] : []);
    }
  });

  it('RFC 9404 3: the blob capability has its limits and names', async () => {
    const { A1, u1 } = fixtures();
    const session = await u1.session();
    expect(member(session['capabilities'], BLOB)).toEqual({});
    const account = member(member(session['accounts'], A1), 'accountCapabilities');
    const blob = member(account, BLOB);
    expect(blob).toEqual({
      maxSizeBlobSet: expect.any(Number),
      maxDataSources: expect.any(Number),
      supportedTypeNames: [],
      supportedDigestAlgorithms: expect.arrayContaining(['sha', 'sha-256']),
    });
    expect(blob['maxDataSources']).toBeGreaterThanOrEqual(64);
  });

  it('RFC 8620 2: the session’s state is the sessionState of API responses', async () => {
    const { u1, u2 } = fixtures();
    const { state } = await u1.session();
    expect((await u1.api([])).sessionState).toBe(state);
    expect((await u2.api([])).sessionState).not.toBe(state);
    await u1.set('Todo', { accountId: fixtures().A1, create: { k: { text: 'data' } } });
    expect((await u1.session())['state']).toBe(state);
  });

  it('no cache may keep the session', async () => {
    const { headers } = await fixtures().u1.http('/.well-known/jmap');
    expect(headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
    expect(headers.get('etag')).toBeNull();
  });

  it('a wrong verb is 405 with Allow, HEAD on the session works', async () => {
    const { u1 } = fixtures();
    for (const [path, method, allowed] of [
      ['/jmap', 'GET', 'POST'],
      ['/jmap', 'PUT', 'POST'],
      ['/jmap', 'DELETE', 'POST'],
      ['/.well-known/jmap', 'POST', 'GET'],
      ['/.well-known/jmap', 'DELETE', 'GET'],
      [`/jmap/upload/${fixtures().A1}`, 'GET', 'POST'],
      [`/jmap/download/${fixtures().A1}/b1/x`, 'POST', 'GET'],
      ['/jmap/eventsource?types=*&closeafter=no&ping=0', 'PUT', 'GET'],
    ] as const) {
      const answer = await u1.http(path, { method });
      expectProblemStatus(answer, 405);
      expect(answer.headers.get('allow')?.split(/, */)).toContain(allowed);
    }
    const head = await u1.http('/.well-known/jmap', { method: 'HEAD' });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
  });

  it('an unknown path is a 404 problem', async () => {
    for (const path of ['/nope', '/jmap/', '/jmap/upload', '/jmap/download/a', '/JMAP', '/']) {
      expectProblemStatus(await fixtures().u1.http(path), 404);
    }
  });
});

describe('credentials', () => {
  const endpoints = () => [
    ['GET', '/.well-known/jmap'],
    ['POST', '/jmap'],
    ['POST', `/jmap/upload/${fixtures().A1}`],
    ['GET', `/jmap/download/${fixtures().A1}/b1/x`],
    ['GET', '/jmap/eventsource?types=*&closeafter=no&ping=0'],
  ];

  it('without a token every endpoint is 401 with a bare challenge', async () => {
    for (const [method = '', path = ''] of endpoints()) {
      const answer = await httpAnswer(server().url + path, { method });
      expectProblemStatus(answer, 401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="jmap"');
    }
  });

  it('unknown, malformed, expired and revoked tokens are 401 invalid_token', async () => {
    const { expired, revoked } = await makeSpecialTokens(server());
    const tokens = [
      'unknown',
      '',
      '%%%',
      'x'.repeat(5000),
      revoked,
      expired,
      `${fixtures().u1.token}x`,
    ];
    await eventually(async () => {
      const client = new Client(server().url, expired);
      expect((await client.http('/.well-known/jmap')).status).toBe(401);
    });
    for (const token of tokens) {
      for (const [method = '', path = ''] of endpoints()) {
        const answer = await httpAnswer(server().url + path, {
          method,
          headers: { authorization: `Bearer ${token}` },
        });
        expectProblemStatus(answer, 401);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="jmap"/);
        if (token !== '') {
          expect(answer.headers.get('www-authenticate')).toMatch(/, ?error="invalid_token"/);
        }
      }
    }
  });

  it('the scheme is taken in any letter case, another scheme is 401', async () => {
    const { token } = fixtures().u1;
    for (const [authorization, status] of [
      [`bearer ${token}`, 200],
      [`BEARER ${token}`, 200],
      [`Basic ${token}`, 401],
      [token, 401],
    ] as const) {
      const answer = await fixtures().u1.http('/.well-known/jmap', { headers: { authorization } });
      expect(answer.status).toBe(status);
    }
  });

  it('two Authorization headers are 400', async () => {
    const { token } = fixtures().u1;
    for (const second of ['other', token]) {
      const answer = await rawHttp(
        server().url,
        'GET /.well-known/jmap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
          `Authorization: Bearer ${token}\r\nAuthorization: Bearer ${second}\r\n\r\n`,
      );
      expect(answer.status).toBe(400);
    }
  });

  it('a read-only token sees every account read-only and writes nothing', async () => {
    const { readOnly } = await makeSpecialTokens(server());
    const client = new Client(server().url, readOnly);
    const accounts = (await client.session())['accounts'] as Record<string, JsonMap>;
    expect(Object.values(accounts).map((account) => account['isReadOnly'])).toEqual(
      Object.values(accounts).map(() => true),
    );
    const { A1 } = fixtures();
    const [, answer] = await client.call('Todo/set', { accountId: A1 });
    expect(answer['type']).toBe('accountReadOnly');
    await client.get('Todo', { accountId: A1 });
    const upload = await client.http(`/jmap/upload/${A1}`, { method: 'POST', body: 'x' });
    expectProblemStatus(upload, 403);
  });

  it('a token may be narrowed to accounts and modes', async () => {
    const { A1, A2 } = fixtures();
    const token = await makeToken(server(), [
      '--user',
      'u1',
      '--account',
      A1,
      '--account',
      `${A2}:read`,
    ]);
    const { accounts } = await new Client(server().url, token).session();
    expect(Object.keys(accounts as JsonMap).sort()).toEqual([A1, A2].sort());
    expect(member(accounts, A1)['isReadOnly']).toBe(false);
    expect(member(accounts, A2)['isReadOnly']).toBe(true);
  });
});

describe('changes of access', () => {
  it('RFC 8620 2: the state moves with accounts, names and modes', async () => {
    const account = (...args: string[]) => server().tool('scripts/account', args);
    const id = await account('create', '--name', 'first', '--user', 'u9');
    const client = new Client(server().url, await makeToken(server(), ['--user', 'u9']));
    const states = [(await client.session())['state']];
    const moved = () =>
      eventually(async () => {
        const { sessionState } = await client.api([]);
        expect(states).not.toContain(sessionState);
        expect((await client.session())['state']).toBe(sessionState);
        states.push(sessionState);
      });
    await account('create', '--name', 'second', '--user', 'u9');
    await moved();
    await account('rename', id, 'renamed');
    await moved();
    await account('grant', fixtures().AX, '--user', 'u9');
    await moved();
    await account('grant', fixtures().AX, '--user', 'u9', '--read-only');
    await moved();
    const { accounts } = await client.session();
    expect(member(accounts, fixtures().AX)['isReadOnly']).toBe(true);
    expect(member(accounts, id)['name']).toBe('renamed');
    for (const gone of Object.keys(accounts as JsonMap)) {
      if (gone === fixtures().AX) await account('revoke', gone, '--user', 'u9');
      else await account('delete', gone, '--yes');
    }
    await moved();
    const session = await client.session();
    expect([session['accounts'], session['primaryAccounts']]).toEqual([{}, {}]);
  });

  it('the state is the same after a restart', async () => {
    const { state } = await fixtures().u1.session();
    const second = await startServer();
    try {
      const { accountId: owner, client } = await makeUser(second);
      const before = (await client.session())['state'];
      const restarted = await second.restart();
      try {
        const session = await client.session();
        expect(session['state']).toBe(before);
        expect(Object.keys(session['accounts'] as JsonMap)).toEqual([owner]);
      } finally {
        await restarted.stop();
      }
    } finally {
      await second.remove();
    }
    expect((await fixtures().u1.session())['state']).toBe(state);
  });
});

describe('public URLs and browsers', () => {
  let proxied: RunningServer;
  let based: RunningServer;
  let token: string;
  let basedToken: string;
  const made = async (target: RunningServer): Promise<string> => {
    return (await makeUser(target)).token;
  };

  beforeAll(async () => {
    [proxied, based] = await Promise.all([
      startServer({
        env: { TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: 'https://app.example.com' },
      }),
      startServer({ env: { BASE_URL: 'https://jmap.example.com:8443/some/base/' } }),
    ]);
    [token, basedToken] = await Promise.all([made(proxied), made(based)]);
  });
  afterAll(async () => {
    await Promise.all([proxied?.remove(), based?.remove()]);
  });

  it('with BASE_URL every URL has it, the path is served', async () => {
    const client = new Client(based.url, basedToken);
    const answer = await client.http('/some/base/.well-known/jmap');
    const session = answer.json as JsonMap;
    const base = 'https://jmap.example.com:8443/some/base';
    expect(session).toEqual(
      expect.objectContaining({
        apiUrl: `${base}/jmap`,
        uploadUrl: `${base}/jmap/upload/{accountId}`,
        downloadUrl: `${base}/jmap/download/{accountId}/{blobId}/{name}?type={type}`,
        eventSourceUrl: `${base}${EVENT_SOURCE}`,
      }),
    );
    expect(member(session['capabilities'], WEBSOCKET)['url']).toBe(
      'wss://jmap.example.com:8443/some/base/jmap/ws',
    );
    const api = await client.http('/some/base/jmap', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', {}, '0']] }),
    });
    expect(api.status).toBe(200);
  });

  /** The apiUrl as a request with these headers is told. */
  const apiUrl = async (
    target: RunningServer,
    bearer: string,
    headers: string,
  ): Promise<string> => {
    const answer = await rawHttp(
      target.url,
      'GET /.well-known/jmap HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer ' +
        `${bearer}\r\n${headers}\r\n`,
    );
    const body = answer.body.slice(answer.body.indexOf('{'), answer.body.lastIndexOf('}') + 1);
    return String((JSON.parse(body) as JsonMap)['apiUrl']);
  };

  it('without it they have the host of the request, IPv6 too', async () => {
    const { token: bearer } = fixtures().u1;
    expect(await apiUrl(server(), bearer, 'Host: example.org:99\r\n')).toBe(
      'http://example.org:99/jmap',
    );
    expect(await apiUrl(server(), bearer, 'Host: [::1]:99\r\n')).toBe('http://[::1]:99/jmap');
  });

  it('forwarded headers count from trusted proxies only', async () => {
    const forwarded = [
      'Host: inner:1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: outer.example.com\r\n',
      'Host: inner:1\r\nForwarded: for=10.0.0.1;proto=https;host=outer.example.com\r\n',
    ];
    for (const headers of forwarded) {
      expect(await apiUrl(server(), fixtures().u1.token, headers)).toBe('http://inner:1/jmap');
      expect(await apiUrl(proxied, token, headers)).toBe('https://outer.example.com/jmap');
    }
  });

  it('a preflight from a listed origin is answered without credentials', async () => {
    const paths = [
      '/.well-known/jmap',
      '/jmap',
      '/jmap/upload/a',
      '/jmap/download/a/b/c',
      '/jmap/eventsource?types=*&closeafter=no&ping=0',
    ];
    for (const path of paths) {
      const answer = await httpAnswer(proxied.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example.com',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type',
        },
      });
      expect([200, 204]).toContain(answer.status);
      const header = (name: string) => answer.headers.get(name)?.toLowerCase() ?? '';
      expect(header('access-control-allow-origin')).toBe('https://app.example.com');
      expect(header('access-control-allow-methods')).toMatch(/\b(get|post)\b/);
      expect(header('access-control-allow-headers')).toContain('authorization');
      expect(header('access-control-allow-headers')).toContain('content-type');
      expect(header('access-control-max-age')).toMatch(/^\d+$/);
    }
  });

  it('answers and errors carry the origin where it is listed', async () => {
    const origin = (path: string, from: string, authorization: string) =>
      httpAnswer(proxied.url + path, { headers: { origin: from, authorization } });
    const listed = 'https://app.example.com';
    for (const [path, bearer] of [
      ['/.well-known/jmap', `Bearer ${token}`],
      ['/.well-known/jmap', 'Bearer wrong'],
      ['/nope', `Bearer ${token}`],
    ] as const) {
      const answer = await origin(path, listed, bearer);
      expect(answer.headers.get('access-control-allow-origin')).toBe(listed);
      const other = await origin(path, 'https://evil.example.com', bearer);
      expect(other.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
