import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { TokenRefusedError } from '../../../src/accounts/oidc/access-token.js';
import { verifyLogoutToken } from '../../../src/accounts/oidc/logout-token.js';

const NOW = Date.UTC(2026, 10, 27);
const SECONDS = NOW / 1000;
const ISSUER = 'https://id.example.com';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const RULES = {
  ...{ issuer: ISSUER, audience: ['spa', 'app'], clockTolerance: 30 },
  algorithms: ['ES256'],
};
const GOOD = {
  ...{ iss: ISSUER, aud: 'spa', sub: 'alice', sid: 'session', jti: 'once' },
  ...{ iat: SECONDS, exp: SECONDS + 120, events: { [EVENT]: {} } },
};
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const KEYS = createLocalJWKSet({ keys: [await exportJWK(publicKey)] });

async function judge(more: object, header: Partial<JWTHeaderParameters> = {}) {
  const token = await new SignJWT({ ...GOOD, ...more } as JWTPayload)
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', ...header })
    .sign(privateKey);
  return verifyLogoutToken(token, RULES, KEYS, NOW);
}

describe('A logout token', () => {
  it('says whom the provider has signed out, and until when it could come again', async () => {
    expect(await judge({})).toEqual({
      ...{ subject: 'alice', session: 'session', id: 'once' },
      ...{ at: NOW, end: NOW + 150_000 },
    });
    expect(await judge({ sid: undefined })).toMatchObject({ subject: 'alice', session: null });
    expect(await judge({ sub: undefined })).toMatchObject({ subject: null, session: 'session' });
  });

  it('has whole milliseconds, and ends whatever it says', async () => {
    const iat = SECONDS - 1.00055;
    expect(await judge({ iat, exp: SECONDS + 20.0005 })).toMatchObject({
      ...{ at: NOW - 1000, end: NOW + 50_001 },
    });
    // A token may be 300 seconds old, so no copy counts after that and the tolerance.
    expect(await judge({ exp: 1e300 })).toMatchObject({ end: NOW + 330_000 });
  });

  it.each<[string, object, object]>([
    ['no type', {}, { typ: undefined }],
    ['the type of all JWTs', {}, { typ: 'JWT' }],
    ['the whole type', {}, { typ: 'application/logout+jwt' }],
    ['further members of the event', { events: { [EVENT]: { revoke: true }, x: 1 } }, {}],
    ['several clients', { aud: ['other', 'app'] }, {}],
    ['claims that nobody knows', { trace: 'x' }, {}],
  ])('may have %s', async (_, more, header) => {
    expect(await judge(more, header)).toMatchObject({ id: 'once' });
  });

  it.each<[string, object, object]>([
    ['another issuer', { iss: `${ISSUER}/` }, {}],
    ['another client', { aud: 'other' }, {}],
    ['no client', { aud: undefined }, {}],
    ['no time of issue', { iat: undefined }, {}],
    ['a time of issue to come', { iat: SECONDS + 31 }, {}],
    ['a time of issue long ago', { iat: SECONDS - 331 }, {}],
    ['no end', { exp: undefined }, {}],
    ['an end that is over', { exp: SECONDS - 31 }, {}],
    ['nobody', { sub: undefined, sid: undefined }, {}],
    ['a subject that is no text', { sub: 7 }, {}],
    ['a subject that no database keeps', { sub: 'a\u0000' }, {}],
    ['an empty session', { sid: '' }, {}],
    ['no id', { jti: undefined }, {}],
    ['an id that is no text', { jti: 7 }, {}],
    ['an empty id', { jti: '' }, {}],
    ['a nonce', { nonce: 'n' }, {}],
    ['a nonce of null', { nonce: null }, {}],
    ['no events', { events: undefined }, {}],
    ['events that are a list', { events: [EVENT] }, {}],
    ['events of null', { events: null }, {}],
    ['another event', { events: { 'http://x.example': {} } }, {}],
    ['an event of null', { events: { [EVENT]: null } }, {}],
    ['an event that is a list', { events: { [EVENT]: [] } }, {}],
    ['the type of access tokens', {}, { typ: 'at+jwt' }],
  ])('is refused with %s', async (_, more, header) => {
    await expect(judge(more, header)).rejects.toThrow(TokenRefusedError);
  });
});
