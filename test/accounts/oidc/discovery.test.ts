import { expect, it } from 'vitest';
import { DiscoveryError, discover } from '../../../src/accounts/oidc/discovery.js';
import { AnswerError } from '../../../src/outbound/json-client.js';

const ISSUER = 'https://id.example.com/realms/team';
const OAUTH = 'https://id.example.com/.well-known/oauth-authorization-server/realms/team';
const OPENID = `${ISSUER}/.well-known/openid-configuration`;
const KEYS = 'https://id.example.com/keys';

/** Discovers among documents by URL; resolves to what was asked, and what came of it. */
async function look(issuer: string, documents: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const found = await discover(issuer, async ({ href }) => {
    asked.push(href);
    return documents[href];
  });
  return { asked, jwksUri: found.jwksUri.href, introspection: found.introspection?.href };
}

it('RFC 8414 3: the well-known part stands between host and path', async () => {
  const document = { issuer: ISSUER, jwks_uri: KEYS };
  const found = { asked: [OAUTH], jwksUri: KEYS, introspection: undefined };
  expect(await look(ISSUER, { [OAUTH]: document, [OPENID]: document })).toEqual(found);
});

it('OpenID Connect Discovery 4: it stands behind the path', async () => {
  const introspection = 'https://id.example.com/introspect';
  const document = { issuer: ISSUER, jwks_uri: KEYS, introspection_endpoint: introspection };
  const found = { asked: [OAUTH, OPENID], jwksUri: KEYS, introspection };
  expect(await look(ISSUER, { [OPENID]: document })).toEqual(found);
});

it.each([
  ['https://id.example.com', ''],
  ['https://id.example.com/', ''],
  ['https://id.example.com/t/', '/t'],
  ['https://id.example.com:8443/t', '/t'],
])('the issuer %s keeps its slash as a name alone', async (issuer, path) => {
  const { origin } = new URL(issuer);
  const place = `${origin}${path}/.well-known/openid-configuration`;
  const { asked } = await look(issuer, { [place]: { issuer, jwks_uri: KEYS } });
  expect(asked).toEqual([`${origin}/.well-known/oauth-authorization-server${path}`, place]);
});

it.each([
  ['nothing', undefined, 'has none; '],
  ['another issuer', { issuer: `${ISSUER}/`, jwks_uri: KEYS }, 'the same text'],
  ['no issuer', { jwks_uri: KEYS }, 'no issuer'],
  ['no keys', { issuer: ISSUER }, 'has no "jwks_uri"'],
  ['keys at a path', { issuer: ISSUER, jwks_uri: '/keys' }, '"jwks_uri"'],
  ['keys at http', { issuer: ISSUER, jwks_uri: 'http://id.example.com/keys' }, 'no https URL'],
  ['keys in a list', { issuer: ISSUER, jwks_uri: [KEYS] }, '"jwks_uri"'],
  ['a text', 'hello', 'no issuer'],
  ['null', null, 'no issuer'],
])('a provider that answers %s is told by name', async (_, document, text) => {
  const looking = look(ISSUER, { [OPENID]: document });
  await expect(looking).rejects.toThrow(DiscoveryError);
  await expect(looking).rejects.toThrow(text);
});

it('an issuer at http may have its keys at http', async () => {
  const issuer = 'http://127.0.0.1:9000';
  const document = { issuer, jwks_uri: `${issuer}/keys` };
  const place = `${issuer}/.well-known/openid-configuration`;
  expect((await look(issuer, { [place]: document })).jwksUri).toBe(`${issuer}/keys`);
});

it('a provider that can not be asked is no provider without a document', async () => {
  await expect(
    discover(ISSUER, async () => {
      throw new Error('ECONNREFUSED');
    }),
  ).rejects.toThrow('ECONNREFUSED');
});

it('a first place that answers with a page, or with a redirect to one, is passed by', async () => {
  const document = { issuer: ISSUER, jwks_uri: KEYS };
  const read = (second: unknown) => (place: URL) => {
    if (place.href === OAUTH) throw new AnswerError(`${OAUTH} answers no JSON`);
    if (second === undefined) throw new AnswerError(`${OPENID} answers 403`);
    return second;
  };
  const look = (second: unknown) => discover(ISSUER, async (place) => read(second)(place));
  expect((await look(document)).jwksUri.href).toBe(KEYS);
  await expect(look(undefined)).rejects.toThrow(DiscoveryError);
  await expect(look(undefined)).rejects.toThrow(`${OAUTH} answers no JSON; ${OPENID} answers 403`);
});
