import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventStream } from '../support/event-source.js';
import type { JsonMap } from '../support/json.js';
import { eventually, within } from '../support/poll.js';
import { JmapSocket } from '../support/socket.js';
import { Browser } from './browser.js';
import { APPLICATION, INTROSPECTION, makeKey } from './oidc-server.js';
import { ALGORITHMS, openScene, RESOURCE, type Scene, type SceneOptions } from './scene.js';

const START = 240_000;
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';
/** A secret that no log may have. */
const NEVER = 'a value of a claim that no log may have';

interface Account extends JsonMap {
  readonly name: string;
  readonly isReadOnly: boolean;
}

/**
 * The users of a real provider, over HTTP, event source and WebSocket: all tests, or those alone
 * that may differ where there are several servers.
 */
export function identitySuite(
  options: () => Promise<SceneOptions>,
  tests: 'all' | 'of several servers' = 'all',
): void {
  let scene: Scene;
  const secrets: string[] = [INTROSPECTION.secret, NEVER];
  beforeAll(async () => {
    scene = await openScene(await options());
    for (const name of ['red', 'blue'])
      await scene.server.tool('scripts/account', ['create', '--name', name]);
  }, START);
  afterAll(async () => {
    await scene?.close();
  });

  /** Returns a token of a user with these claims, made by the provider. */
  const tokenOf = async (sub: string, claims: object = {}): Promise<string> => {
    scene.provider.claims.set(sub, { email: `${sub}@example.com`, note: NEVER, ...claims });
    const token = await scene.provider.mint({ sub });
    secrets.push(token);
    return token;
  };
  const signed = async (claims: JWTPayload, header: object = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const good = {
      ...{ iss: scene.provider.issuer, aud: RESOURCE, sub: 'nobody', client_id: APPLICATION },
      ...{ iat: now, exp: now + 300, scope: 'todos', email: NEVER },
    };
    const token = await scene.provider.sign({ ...good, ...claims }, { typ: 'at+jwt', ...header });
    secrets.push(token);
    return token;
  };
  const statusOf = async (token: string, which?: number): Promise<number> =>
    (await scene.client(token, which).http('/.well-known/jmap')).status;
  const reachOf = async (token: string): Promise<readonly string[]> => {
    const { accounts } = await scene.client(token).session();
    return Object.values(accounts as Record<string, Account>)
      .map(({ name, isReadOnly }) => `${name}:${isReadOnly ? 'ro' : 'rw'}`)
      .sort();
  };
  const command = (script: string, ...args: readonly string[]): Promise<string> =>
    scene.server.tool(`scripts/${script}`, args);

  describe('A user of a provider', () => {
    it.each(ALGORITHMS)('comes by a token that %s signs', async (alg) => {
      await scene.provider.rotate(scene.keys.toSorted((a) => (a.alg === alg ? -1 : 1)));
      const token = await tokenOf('ann', { groups: ['team-red', 'other'], reads: ['blue'] });
      expect(await reachOf(token)).toEqual(['ann@example.com:rw', 'blue:ro', 'red:rw']);
      const client = scene.client(token);
      const { accounts, username } = await client.session();
      expect(username).toBe('ann@example.com');
      for (const [accountId, { name, isReadOnly }] of Object.entries(accounts as object)) {
        const args = { accountId, create: { c: { text: name } } };
        const [[method, answer] = []] = (await client.api([['Todo/set', args, '0']]))
          .methodResponses;
        if (isReadOnly) expect([method, answer?.['type']]).toEqual(['error', 'accountReadOnly']);
        else expect(answer?.['created']).toHaveProperty('c');
      }
    });

    it('loses what the next token lacks, and has another session state', async () => {
      const wide = await tokenOf('bob', { groups: ['team-red', 'team-blue'] });
      const narrow = await tokenOf('bob', { groups: ['team-red'] });
      const bare = await tokenOf('bob');
      expect(await reachOf(wide)).toEqual(['blue:rw', 'bob@example.com:rw', 'red:rw']);
      expect(await reachOf(narrow)).toEqual(['bob@example.com:rw', 'red:rw']);
      expect(await reachOf(bare)).toEqual(['bob@example.com:rw']);
      const states = await Promise.all(
        [wide, narrow, bare].map(async (token) => (await scene.client(token).session())['state']),
      );
      expect(new Set(states).size).toBe(3);
    });

    it('is made once by many first requests at all servers', async () => {
      const token = await tokenOf('eve');
      const sessions = await Promise.all(
        Array.from({ length: 16 }, (_, n) => scene.client(token, n).session()),
      );
      const ids = sessions.map(({ accounts }) => Object.keys(accounts as object).join());
      expect(new Set(ids).size).toBe(1);
      const users = (await command('user', 'list')).split('\n');
      expect(users.filter((line) => line.includes('eve@example.com'))).toHaveLength(1);
    });

    it('has the same session, byte for byte, by a token of ours with the same access', async () => {
      const token = await tokenOf('kim');
      await scene.client(token).session();
      const own = await command('token', 'create', '--user', 'kim@example.com');
      secrets.push(own);
      const textOf = async (by: string) =>
        (await scene.client(by, 0).http('/.well-known/jmap')).text;
      expect(await textOf(own)).toBe(await textOf(token));
    });
  });

  describe('A provider with new keys', () => {
    it('has new keys known at their first request, without a restart', async () => {
      const old = await tokenOf('ann');
      expect(await statusOf(old)).toBe(200);
      await scene.provider.rotate([await makeKey('ES256', 'rotated'), ...scene.keys]);
      const token = await tokenOf('ann');
      for (const [n] of scene.servers.entries()) expect(await statusOf(token, n)).toBe(200);
    });
  });

  describe('A token that is not for this server', () => {
    it('is refused, and makes no user', async () => {
      const past = Math.floor(Date.now() / 1000) - 100;
      const rest = await signed({});
      const [, payload, signature] = rest.split('.');
      const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
      const wrong: Readonly<Record<string, string>> = {
        issuer: await signed({ iss: 'https://evil.example' }),
        'no audience': await signed({ aud: undefined as never }),
        'another audience': await signed({ aud: ['https://other.example', `${RESOURCE}/`] }),
        expired: await signed({ exp: past }),
        'not yet': await signed({ nbf: past + 500 }),
        'made later': await signed({ iat: past + 500 }),
        'ID token': await signed({ typ: 'ID', nonce: 'n' }, { typ: 'JWT' }),
        'logout token': await signed({ events: { [LOGOUT]: {} } }, { typ: 'logout+jwt' }),
        'bound to a key': await signed({ cnf: { jkt: 'x' } }),
        'no subject': await signed({ sub: undefined as never }),
        'alg none': `${none}.${payload}.`,
        'other signature': `${rest.slice(0, -4)}${signature?.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`,
        // A wrong key under a known name.
        'other key': await scene.provider.sign(
          { iss: scene.provider.issuer, aud: RESOURCE, sub: 'nobody', exp: past + 900 },
          { typ: 'at+jwt' },
          await makeKey('EdDSA', 'key-EdDSA'),
        ),
        'an opaque one': 'made-up',
        'too long': `${'a'.repeat(9000)}`,
      };
      for (const [name, token] of Object.entries(wrong))
        expect([name, await statusOf(token)]).toEqual([name, 401]);
      expect(await command('user', 'list')).not.toContain('nobody');
      expect(await command('user', 'list')).not.toContain(NEVER);
    });

    if (tests === 'all')
      it('that names a made-up key has the provider asked once, of a thousand', async () => {
        const known = await tokenOf('ann');
        expect(await statusOf(known)).toBe(200);
        const key = await makeKey('ES256', 'x');
        const before = scene.provider.counts.keys;
        const all: Promise<number>[] = [];
        for (let n = 0; n < 1000; n += 1) {
          const claims = { iss: scene.provider.issuer, aud: RESOURCE, sub: 's', exp: 9e9 };
          const token = scene.provider.sign(claims, { typ: 'at+jwt', kid: `made-up-${n}` }, key);
          all.push(token.then((text) => statusOf(text, 0)));
          if (n % 50 === 0) await Promise.all(all);
        }
        expect(new Set(await Promise.all(all))).toEqual(new Set([401]));
        expect(scene.provider.counts.keys - before).toBeLessThanOrEqual(1);
      });
  });

  describe('A provider', () => {
    it('is named to clients that come without a token, with its document', async () => {
      const answer = await fetch(`${scene.server.url}/.well-known/jmap`);
      const place = `${RESOURCE}/.well-known/oauth-protected-resource`;
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer realm="jmap", resource_metadata="${place}", Basic realm="jmap", charset="UTF-8"`,
      );
      const document = await fetch(scene.server.url + new URL(place).pathname);
      expect(await document.json()).toMatchObject({
        resource: RESOURCE,
        authorization_servers: [scene.provider.issuer],
      });
    });

    if (tests === 'all')
      it('is asked about tokens that are no JWTs; one that it ends closes streams', async () => {
        scene.provider.format = 'opaque';
        const token = await tokenOf('ida', { groups: ['team-red'] });
        scene.provider.format = 'jwt';
        expect(token).not.toContain('.');
        const client = scene.client(token, 0);
        const { accounts } = await client.session();
        expect(Object.values(accounts as object)).toHaveLength(2);
        const stream = await EventStream.open(client, { types: '*', closeafter: 'no', ping: '0' });
        expect(stream.status).toBe(200);
        await fetch(`${scene.provider.issuer}/token/revocation`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id: APPLICATION }),
        });
        await stream.ended();
        expect(await statusOf(token, 0)).toBe(401);
      });

    it('signs a user out: streams and sockets of all servers close', async () => {
      scene.provider.claims.set('tom', { email: 'tom@example.com', note: NEVER });
      const browser = new Browser();
      const token = await scene.provider.signIn('tom', browser);
      secrets.push(token);
      const streams = await Promise.all(
        scene.servers.map((_, n) =>
          EventStream.open(scene.client(token, n), { types: '*', closeafter: 'no', ping: '0' }),
        ),
      );
      const sockets = await Promise.all(
        scene.servers.map((_, n) => JmapSocket.open(scene.client(token, n))),
      );
      await scene.provider.signOut(browser);
      expect(scene.provider.logoutErrors).toEqual([]);
      for (const stream of streams) await stream.ended();
      for (const { closed } of sockets) await within('The end of the socket', closed);
      for (const [n] of scene.servers.entries()) expect(await statusOf(token, n)).toBe(401);
    });

    it('signs nobody out by a copy of its message', async () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        ...{ iss: scene.provider.issuer, aud: APPLICATION, iat: now, exp: now + 60 },
        ...{ jti: `copy-${now}`, sub: 'stranger', events: { [LOGOUT]: {} } },
      };
      const token = await scene.provider.sign(claims, { typ: 'logout+jwt' });
      secrets.push(token);
      const send = async (which: number): Promise<number> => {
        const body = new URLSearchParams({ logout_token: token });
        const { url } = scene.client('', which);
        return (await fetch(`${url}/oidc/logout`, { method: 'POST', body })).status;
      };
      expect(await send(0)).toBe(200);
      expect(await send(0)).toBe(400);
      expect(await send(1)).toBe(400);
    });
  });

  describe('An operator', () => {
    it('disables a user: tokens, streams and sockets end at all servers', async () => {
      const token = await tokenOf('max');
      await scene.client(token).session();
      const own = await command('token', 'create', '--user', 'max@example.com');
      secrets.push(own);
      const stream = await EventStream.open(scene.client(token, 0), {
        ...{ types: '*', closeafter: 'no', ping: '0' },
      });
      const socket = await JmapSocket.open(scene.client(own, 1));
      await command('user', 'disable', 'max@example.com');
      await stream.ended();
      await within('The end of the socket', socket.closed);
      for (const [n] of scene.servers.entries()) {
        for (const each of [token, own])
          await eventually(async () => expect(await statusOf(each, n)).toBe(401));
      }
      await command('user', 'enable', 'max@example.com');
      await eventually(async () => expect(await statusOf(own)).toBe(200));
    });

    it('signs a user out: tokens of the provider end, a token of ours goes on', async () => {
      const token = await tokenOf('lea');
      await scene.client(token).session();
      const own = await command('token', 'create', '--user', 'lea@example.com');
      secrets.push(own);
      await command('user', 'sign-out', 'lea@example.com');
      await eventually(async () => expect(await statusOf(token)).toBe(401));
      expect(await statusOf(own)).toBe(200);
    });

    it('lets a token of ours come as the password of Basic authentication', async () => {
      await scene.client(await tokenOf('kim')).session();
      const own = await command('token', 'create', '--user', 'kim@example.com');
      secrets.push(own);
      const authorization = `Basic ${Buffer.from(`kim:${own}`).toString('base64')}`;
      secrets.push(authorization);
      const session = await fetch(`${scene.server.url}/.well-known/jmap`, {
        headers: { authorization },
      });
      expect(session.status).toBe(200);
    });
  });

  describe('A provider that is away', () => {
    it('lets known users in, across a restart; unknown keys are 503', async () => {
      const token = await tokenOf('ann');
      for (const [n] of scene.servers.entries())
        await eventually(async () => expect(await statusOf(token, n)).toBe(200));
      scene.provider.isAway = true;
      try {
        expect(await statusOf(token, 0)).toBe(200);
        const first = await scene.server.restart();
        const session = await fetch(`${first.url}/.well-known/jmap`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect(session.status).toBe(200);
        const claims = { iss: scene.provider.issuer, aud: RESOURCE, sub: 's', exp: 9e9 };
        const unknown = await scene.provider.sign(
          claims,
          { typ: 'at+jwt', kid: 'unknown' },
          await makeKey('ES256', 'unknown'),
        );
        const answer = await fetch(`${first.url}/.well-known/jmap`, {
          headers: { authorization: `Bearer ${unknown}` },
        });
        expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
        expect(await answer.json()).toMatchObject({
          detail: 'The server can not ask the identity provider about the token. Try again later.',
        });
        expect(first.stdout() + first.stderr()).not.toContain(unknown.split('.')[2]);
        await first.stop();
      } finally {
        scene.provider.isAway = false;
      }
    });
  });

  it('The logs hold no token, no claim and no secret', () => {
    const logs = scene.logs();
    expect(logs).toContain('listening');
    expect(logs).toContain('"reason"');
    for (const secret of secrets) {
      // The part of a token that nothing else holds.
      const part = secret.split(/[._]/).findLast((each) => each.length > 20) ?? secret;
      expect(logs.includes(part) ? part : 'nothing').toBe('nothing');
    }
  });
}
