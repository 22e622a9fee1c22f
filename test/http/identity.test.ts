import { describe, expect, it, onTestFinished } from 'vitest';
import { TokenRefusedError } from '../../src/accounts/oidc/access-token.js';
import type { Identity } from '../../src/http/identity.js';
import { OWN_TOKENS } from '../../src/http/identity.js';
import { metadataUrl } from '../../src/http/resource-metadata.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { startHarness, TOKEN } from './harness.js';

const RESOURCE = 'https://jmap.example.com/api';
const DOCUMENT = 'https://jmap.example.com/.well-known/oauth-protected-resource/api';
const PROVIDER: Identity = {
  offer: { metadataUrl: DOCUMENT, basic: false },
  metadata: {
    ...{ url: DOCUMENT, resource: RESOURCE, scopes: ['todos', 'todos.read'] },
    authorizationServers: ['https://id.example.com/realms/team', 'https://login.example.org/'],
  },
  judgeLogout: null,
};

async function start(identity: Partial<Identity> = {}, cors = 'https://app.example.com') {
  const harness = await startHarness({
    env: { BASE_URL: RESOURCE, CORS_ORIGINS: cors },
    identity: { ...PROVIDER, ...identity },
  });
  onTestFinished(() => harness.close());
  return harness;
}

const challengesOf = (response: Response): string | null =>
  response.headers.get('www-authenticate');

describe('An answer 401', () => {
  it('names the document that says where users sign in, on every route', async () => {
    const { url } = await start();
    const pointer = `Bearer realm="jmap", resource_metadata="${DOCUMENT}"`;
    for (const path of ['/.well-known/jmap', '/api/.well-known/jmap', '/api/jmap/download/a/b/c']) {
      const response = await fetch(url + path);
      expect([response.status, challengesOf(response)]).toEqual([401, pointer]);
    }
    const headers = { Authorization: 'Bearer wrong' };
    const wrong = await fetch(`${url}/api/jmap`, { method: 'POST', headers });
    expect([wrong.status, challengesOf(wrong)]).toEqual([401, `${pointer}, error="invalid_token"`]);
    const ticket = await fetch(`${url}/api/jmap/eventsource?ticket=wrong`);
    expect(challengesOf(ticket)).toBe(`${pointer}, error="invalid_token"`);
  });

  it('names nothing where there is no provider', async () => {
    const { url } = await start(OWN_TOKENS);
    const response = await fetch(`${url}/.well-known/jmap`);
    expect(challengesOf(response)).toBe('Bearer realm="jmap"');
    expect((await fetch(`${url}/.well-known/oauth-protected-resource/api`)).status).toBe(404);
  });
});

describe('RFC 9728 3.1: the document of the resource', () => {
  it('lies in front of the base path, with the base URL as it is written', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/.well-known/oauth-protected-resource/api`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: ['https://id.example.com/realms/team', 'https://login.example.org/'],
      scopes_supported: ['todos', 'todos.read'],
      bearer_methods_supported: ['header'],
    });
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/api/.well-known/oauth-protected-resource',
    ])
      expect((await fetch(url + path)).status).toBe(404);
  });

  it('may be read by pages of every origin, though others see no answer', async () => {
    const { url } = await start();
    const headers = { Origin: 'https://elsewhere.example' };
    const document = await fetch(`${url}/.well-known/oauth-protected-resource/api`, { headers });
    expect(document.headers.get('access-control-allow-origin')).toBe('*');
    const session = await fetch(`${url}/.well-known/jmap`, { headers });
    expect(session.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['https://jmap.example.com', 'https://jmap.example.com/.well-known/oauth-protected-resource'],
    [
      'https://jmap.example.com/a/b',
      'https://jmap.example.com/.well-known/oauth-protected-resource/a/b',
    ],
    [
      'https://jmap.example.com:8443/a',
      'https://jmap.example.com:8443/.well-known/oauth-protected-resource/a',
    ],
  ])('of %s is at %s', (resource, document) => {
    expect(metadataUrl(resource)).toBe(document);
  });
});

describe('RFC 7617: Basic authentication', () => {
  const basic = (password: string, user = 'anybody'): { Authorization: string } => ({
    Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  });
  const on = { offer: { metadataUrl: DOCUMENT, basic: true } };

  it('takes a token of ours as the password', async () => {
    const { url, users } = await start(on);
    users.tokens.set('jms_token', 't1');
    const session = await fetch(`${url}/.well-known/jmap`, { headers: basic('jms_token') });
    expect(session.status).toBe(200);
    const strange = await fetch(`${url}/.well-known/jmap`, { headers: basic('jms_token', 'é:') });
    expect(strange.status).toBe(401);
    for (const wrong of ['jms_other', '', TOKEN]) {
      const response = await fetch(`${url}/.well-known/jmap`, { headers: basic(wrong) });
      expect(response.status).toBe(401);
    }
    const malformed = await fetch(`${url}/.well-known/jmap`, {
      headers: { Authorization: 'Basic !' },
    });
    expect(malformed.status).toBe(401);
  });

  it('is refused from pages of origins that are not listed by name', async () => {
    const { url, users } = await start(on, '*');
    users.tokens.set('jms_token', 't1');
    const headers = { ...basic('jms_token'), Origin: 'https://evil.example' };
    expect((await fetch(`${url}/.well-known/jmap`, { headers })).status).toBe(403);
    const listed = await start(on);
    listed.users.tokens.set('jms_token', 't1');
    const good = { ...basic('jms_token'), Origin: 'https://app.example.com' };
    expect((await fetch(`${listed.url}/.well-known/jmap`, { headers: good })).status).toBe(200);
  });

  it('is offered beside Bearer where it is on, and never where it is off', async () => {
    const { url } = await start(on);
    const response = await fetch(`${url}/.well-known/jmap`);
    expect(challengesOf(response)).toBe(
      `Bearer realm="jmap", resource_metadata="${DOCUMENT}", Basic realm="jmap", charset="UTF-8"`,
    );
    const off = await start();
    off.users.tokens.set('jms_token', 't1');
    const refused = await fetch(`${off.url}/.well-known/jmap`, { headers: basic('jms_token') });
    expect(refused.status).toBe(401);
    expect(challengesOf(refused)).not.toContain('Basic');
  });
});

describe('A back-channel logout', () => {
  const post = (
    url: string,
    body: string | URLSearchParams,
    headers: Record<string, string> = {},
  ) => fetch(`${url}/api/oidc/logout`, { method: 'POST', body, headers });

  it('is answered 200, 400 or 503, never from a cache', async () => {
    const taken: string[] = [];
    const { url } = await start({
      async judgeLogout(token) {
        if (token === 'refused') throw new TokenRefusedError('"aud" is wrong');
        if (token === 'away') throw new UnavailableError('away');
        return async () => {
          taken.push(token);
        };
      },
    });
    const form = (token: string) => new URLSearchParams({ logout_token: token });
    const good = await post(url, form('good'));
    expect([good.status, good.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const refused = await post(url, form('refused'));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      error: 'invalid_request',
      error_description: 'The logout token is refused: "aud" is wrong.',
    });
    const away = await post(url, form('away'));
    expect([away.status, away.headers.has('retry-after')]).toEqual([503, true]);
    expect(taken).toEqual(['good']);
  });

  it('is a form of a few octets with a token', async () => {
    const { url } = await start({ judgeLogout: async () => expect.unreachable() });
    expect((await post(url, new URLSearchParams({ other: 'x' }))).status).toBe(400);
    const json = { 'Content-Type': 'application/json' };
    expect((await post(url, '{"logout_token":"x"}', json)).status).toBe(415);
    const large = new URLSearchParams({ logout_token: 'x'.repeat(20_000) });
    expect((await post(url, large)).status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.alloc(20_000, 'x'));
        controller.close();
      },
    });
    const chunked = await fetch(`${url}/api/oidc/logout`, {
      ...{ method: 'POST', body: stream, duplex: 'half' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect((await fetch(`${url}/api/oidc/logout`)).status).toBe(405);
  });

  it('is nothing where no provider may sign users out', async () => {
    const { url } = await start();
    expect((await post(url, new URLSearchParams({ logout_token: 'x' }))).status).toBe(404);
  });
});
