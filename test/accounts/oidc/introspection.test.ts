import { describe, expect, it } from 'vitest';
import { TokenRefusedError } from '../../../src/accounts/oidc/access-token.js';
import { type FormAnswer, introspect } from '../../../src/accounts/oidc/introspection.js';
import { UnavailableError } from '../../../src/protocol/errors.js';

const NOW = Date.UTC(2026, 10, 27);
const SECONDS = NOW / 1000;
const ENDPOINT = new URL('https://id.example.com/introspect');
const RULES = {
  ...{ issuer: 'https://id.example.com', audience: ['https://jmap.example.com'] },
  ...{ algorithms: [], clockTolerance: 30 },
};
const GOOD = { active: true, aud: 'https://jmap.example.com', sub: 'alice', scope: 'todos' };

function ask(answer: FormAnswer | Error, asked: unknown[][] = []) {
  return introspect(
    'opaque',
    {
      ...{ endpoint: ENDPOINT, clientId: 'jm:ap', secret: 's3c ret&', rules: RULES },
      async post(url, form, authorization) {
        asked.push([url.href, form.toString(), authorization]);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    NOW,
  );
}

const say = (more: object) => ask({ status: 200, json: { ...GOOD, ...more } });

it('RFC 7662 2.1: the provider is asked with the id and the secret of this server', async () => {
  const asked: unknown[][] = [];
  expect(await ask({ status: 200, json: GOOD }, asked)).toEqual(GOOD);
  const credentials = Buffer.from('jm%3Aap:s3c+ret%26').toString('base64');
  const form = 'token=opaque&token_type_hint=access_token';
  expect(asked).toEqual([[ENDPOINT.href, form, `Basic ${credentials}`]]);
});

it('RFC 7662 2.2: of a token that is not active nothing else counts', async () => {
  expect(await say({ active: false })).toBeNull();
  expect(await ask({ status: 200, json: { active: false } })).toBeNull();
});

describe('An active token', () => {
  it.each<[string, object]>([
    ['an issuer', { iss: 'https://id.example.com' }],
    ['several audiences', { aud: ['a', 'https://jmap.example.com'] }],
    ['times', { exp: SECONDS - 29, nbf: SECONDS + 29, iat: SECONDS + 29 }],
    ['a type', { token_type: 'Bearer' }],
    ['another name of the type', { token_type: 'access_token' }],
  ])('may have %s', async (_, more) => {
    expect(await say(more)).toMatchObject({ sub: 'alice' });
  });

  it.each<[string, object]>([
    ['another issuer', { iss: 'https://id.example.com/' }],
    ['no audience', { aud: undefined }],
    ['another audience', { aud: 'spa' }],
    ['an end that is over', { exp: SECONDS - 31 }],
    ['an end that is no number', { exp: 'later' }],
    ['a beginning to come', { nbf: SECONDS + 31 }],
    ['a time of issue to come', { iat: SECONDS + 31 }],
    ['no subject', { sub: undefined }],
    ['a key that it is bound to', { cnf: {} }],
    ['the type of refresh tokens', { token_type: 'refresh_token' }],
  ])('is refused with %s', async (_, more) => {
    await expect(say(more)).rejects.toThrow(TokenRefusedError);
  });
});

it.each<[string, FormAnswer | Error]>([
  ['nothing', new Error('ECONNREFUSED')],
  ['that it refuses this server', { status: 401, json: { error: 'invalid_client' } }],
  ['an error', { status: 500, json: undefined }],
  ['a redirect', { status: 302, json: undefined }],
  ['no JSON', { status: 200, json: undefined }],
  ['a list', { status: 200, json: [] }],
  ['null', { status: 200, json: null }],
  ['no "active"', { status: 200, json: { sub: 'alice' } }],
  ['an "active" that is a text', { status: 200, json: { ...GOOD, active: 'true' } }],
])('where the provider answers %s, nobody knows', async (_, answer) => {
  await expect(ask(answer)).rejects.toThrow(UnavailableError);
});
