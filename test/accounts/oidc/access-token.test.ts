import {
  CompactSign,
  createLocalJWKSet,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { describe, expect, it } from 'vitest';
import {
  issuerOf,
  TokenRefusedError,
  verifyAccessToken,
} from '../../../src/accounts/oidc/access-token.js';
import { UnavailableError } from '../../../src/protocol/errors.js';

const NOW = Date.UTC(2026, 10, 27);
const SECONDS = NOW / 1000;
const ISSUER = 'https://id.example.com/realms/team';
const AUDIENCE = 'https://jmap.example.com/api';
const RULES = {
  ...{ issuer: ISSUER, audience: [AUDIENCE, 'jmap'], clockTolerance: 30 },
  algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
};
/** The claims of a good token. */
const GOOD = {
  ...{ iss: ISSUER, aud: AUDIENCE, sub: 'alice', scope: 'todos', client_id: 'spa' },
  ...{ iat: SECONDS, exp: SECONDS + 300 },
};
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const KEYS = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] });

function sign(claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  const protectedHeader = { alg: 'ES256', kid: 'k', typ: 'at+jwt', ...header };
  return new SignJWT(claims).setProtectedHeader(protectedHeader).sign(privateKey);
}

/** Verifies a token; resolves to the reason of a refusal, or null. */
async function judge(token: string, keys = KEYS): Promise<string | null> {
  try {
    await verifyAccessToken(token, RULES, keys, NOW);
    return null;
  } catch (error) {
    if (error instanceof TokenRefusedError) return error.message;
    throw error;
  }
}

const judgeClaims = async (more: object, header = {}): Promise<string | null> =>
  judge(await sign({ ...GOOD, ...more } as JWTPayload, header));

describe('An access token', () => {
  it('gives its claims', async () => {
    const token = await sign({ ...GOOD, groups: ['team-red'] });
    expect(await verifyAccessToken(token, RULES, KEYS, NOW)).toEqual({
      ...GOOD,
      groups: ['team-red'],
    });
  });

  it.each(['RS256', 'PS256', 'EdDSA'])('may be signed by %s', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k' }] });
    const header = { alg, kid: 'k', typ: 'at+jwt' };
    const token = await new SignJWT(GOOD).setProtectedHeader(header).sign(pair.privateKey);
    expect(await judge(token, keys)).toBeNull();
  });

  it.each([
    ['exp', { exp: SECONDS - 29 }, { exp: SECONDS - 31 }],
    ['nbf', { nbf: SECONDS + 29 }, { nbf: SECONDS + 31 }],
    ['iat', { iat: SECONDS + 29 }, { iat: SECONDS + 31 }],
  ])('has 30 seconds of tolerance for %s', async (name, inside, outside) => {
    expect(await judgeClaims(inside)).toBeNull();
    expect(await judgeClaims(outside)).toContain(`"${name}"`);
  });

  it.each([
    ['another issuer', { iss: 'https://id.example.com/realms/other' }],
    ['a slash behind the issuer', { iss: `${ISSUER}/` }],
    ['a list of issuers', { iss: [ISSUER] }],
    ['no issuer', { iss: undefined }],
    ['no audience', { aud: undefined }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['a list without this server', { aud: ['a', 'b'] }],
    ['an empty list', { aud: [] }],
    ['a list in a list', { aud: [[AUDIENCE]] }],
    ['a number for an audience', { aud: 7 }],
    ['no end', { exp: undefined }],
    ['an end that is no number', { exp: 'never' }],
    ['an end of null', { exp: null }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject of null', { sub: null }],
    ['a subject that is no text', { sub: 7 }],
    ['a time of issue that is no number', { iat: 'now' }],
    ['a key that it is bound to', { cnf: { jkt: 'x' } }],
  ])('is refused with %s', async (_, more) => {
    expect(await judgeClaims(more)).not.toBeNull();
  });

  it('may name this server among others, by each of its names', async () => {
    for (const aud of ['jmap', ['account', AUDIENCE], ['jmap', AUDIENCE]])
      expect(await judgeClaims({ aud })).toBeNull();
  });

  it('is refused where its signature or its algorithm is wrong', async () => {
    const token = await sign(GOOD);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const other = await generateKeyPair('ES256');
    const protectedHeader = { alg: 'ES256', kid: 'k', typ: 'at+jwt' };
    const forged = await new SignJWT(GOOD)
      .setProtectedHeader(protectedHeader)
      .sign(other.privateKey);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`;
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    const symmetric = await new SignJWT(GOOD)
      .setProtectedHeader({ alg: 'HS256', kid: 'k', typ: 'at+jwt' })
      .sign(secret);
    const critical = await new CompactSign(Buffer.from(JSON.stringify(GOOD)))
      .setProtectedHeader({ alg: 'ES256', kid: 'k', crit: ['x'], x: 1 })
      .sign(privateKey, { crit: { x: true } });
    const unknown = await sign(GOOD, { kid: 'other' });
    const cut = `${header}.${payload}.${signature.slice(0, -2)}`;
    const changed = `${header}.${encode({ ...GOOD, sub: 'bob' })}.${signature}`;
    const five = `${token}.x.y`;
    for (const text of [
      forged,
      none,
      symmetric,
      critical,
      unknown,
      cut,
      changed,
      five,
      'a.b.c',
      '',
    ])
      expect(await judge(text), text).not.toBeNull();
  });

  it('for others has nobody asked for keys; a provider that is away can not judge', async () => {
    let asked = 0;
    const away = async () => {
      asked += 1;
      throw new UnavailableError('away');
    };
    await expect(
      verifyAccessToken(await sign({ ...GOOD, aud: 'other' }), RULES, away, NOW),
    ).rejects.toThrow(TokenRefusedError);
    expect(asked).toBe(0);
    await expect(verifyAccessToken(await sign(GOOD), RULES, away, NOW)).rejects.toThrow(
      UnavailableError,
    );
  });

  it('has none of its values in the reason of a refusal', async () => {
    const tokens = [
      { ...GOOD, exp: SECONDS - 100 },
      { ...GOOD, aud: 'https://other.example.com' },
      { ...GOOD, sub: undefined, secret: 'alice' },
      { ...GOOD, cnf: { alice: 1 } },
    ];
    for (const claims of tokens) {
      const reason = await judge(await sign(claims as JWTPayload));
      expect(reason).not.toMatch(/alice|example|todos/);
    }
  });
});

const OF_CLIENT = { client_id: undefined, scope: undefined };

// As providers issue them, by their documentation and sources.
describe('The access tokens of', () => {
  it.each<[string, object, object]>([
    ['Keycloak', { typ: 'JWT' }, { ...OF_CLIENT, typ: 'Bearer', azp: 'spa', scope: 'email' }],
    ['Keycloak before 25', { typ: 'JWT' }, { ...OF_CLIENT, typ: 'Bearer', nonce: 'n' }],
    ['Entra, for a user', { typ: 'JWT' }, { ...OF_CLIENT, azp: 'guid', scp: 'Todos.Read' }],
    ['Entra, for an application', { typ: 'JWT' }, { ...OF_CLIENT, azp: 'guid', roles: ['App'] }],
    ['Auth0', { typ: 'JWT' }, { ...OF_CLIENT, azp: 'spa', aud: [AUDIENCE, `${ISSUER}/userinfo`] }],
    ['Auth0 by RFC 9068', { typ: 'at+jwt' }, OF_CLIENT],
    ['Pocket ID', { typ: 'at+jwt' }, { aud: [AUDIENCE, ISSUER], scp: ['openid'] }],
    ['Okta', {}, { ...OF_CLIENT, cid: 'spa', scp: ['todos'] }],
    ['a provider that writes the whole type', { typ: 'application/AT+JWT' }, OF_CLIENT],
  ])('%s are taken', async (_, header, more) => {
    expect(await judgeClaims(more, header)).toBeNull();
  });
});

describe('Another kind of token:', () => {
  it.each<[string, object, object]>([
    ['an ID token', { typ: undefined }, { ...OF_CLIENT, aud: 'jmap', azp: 'jmap', nonce: 'n' }],
    ['an ID token with a hash', { typ: 'JWT' }, { ...OF_CLIENT, aud: 'jmap', at_hash: 'h' }],
    ['an ID token of Keycloak', { typ: 'JWT' }, { typ: 'ID', azp: 'spa' }],
    ['an ID token of Cognito', { typ: undefined }, { token_use: 'id' }],
    ['an ID token of Pocket ID', { typ: 'JWT' }, { type: 'id-token' }],
    ['a refresh token', { typ: 'JWT' }, { typ: 'Refresh' }],
    ['a logout token', { typ: 'logout+jwt' }, {}],
    ['a logout token without a type', { typ: undefined }, { events: {} }],
    ['a proof of a key', { typ: 'dpop+jwt' }, {}],
    ['a type that is no text', { typ: 7 }, {}],
    ['an access token by its header, an ID token by its payload', {}, { typ: 'ID' }],
  ])('%s is refused', async (_, header, more) => {
    expect(await judgeClaims(more, header)).not.toBeNull();
  });
});

it('The issuer that a text names is that of its payload, or null', async () => {
  expect(issuerOf(await sign(GOOD))).toBe(ISSUER);
  for (const text of ['', 'a', 'a.b.c', 'jms_x_y', await sign({ sub: 'x' })])
    expect(issuerOf(text)).toBeNull();
});
