import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAccount, createAuthenticator, createToken } from '../../src/accounts/index.js';
import type { Credential, Principal } from '../../src/accounts/principal.js';
import { signInCredential } from '../../src/accounts/sign-in.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { openCapabilities } from '../../src/protocol/open-capabilities.js';
import { Sessions } from '../../src/protocol/session.js';
import { registry } from '../support/registry.js';
import { openTestDatabase, type TestDatabase } from './database.js';

const TODOS = 'urn:example:todos';
const ISSUER = 'https://id.example.com';

/** The served capabilities, of which one asks for scopes. */
const DEFINITIONS = registry.map((each) =>
  each.urn === TODOS ? { ...each, oauthScopes: { full: 'todos', read: 'todos.read' } } : each,
);
const NAMES = DEFINITIONS.map(({ urn }) => urn);

const ids = createIdGenerator();
let database: TestDatabase;

beforeEach(async () => {
  database = openTestDatabase();
  await createAccount(database.prisma, ids, { name: 'A', user: 'ann' });
  const { id: userId } = await database.prisma.jmapUser.findFirstOrThrow();
  const data = { issuer: ISSUER, subject: 's', userId, created: 1n };
  await database.prisma.jmapIdentity.create({ data });
});
afterEach(() => database.close());

/** Returns the credential of a provider's token: its text lists its scopes. */
function credentialOf(token: string): Credential {
  return signInCredential(`hash of ${token}`, {
    ...{
      issuer: ISSUER,
      subject: 's',
      name: 's',
      session: null,
      client: null,
      issued: 1,
      expires: null,
    },
    ...{ accounts: {}, roles: [], scopes: token.split('+') },
  });
}

/** Returns who comes by a token of ours, or of a provider. */
async function authenticate(token: string, definitions = DEFINITIONS): Promise<Principal> {
  const by = createAuthenticator(database.prisma, {
    accessVersion: database.accessVersion,
    providers: {
      judge: async (text) => credentialOf(text),
      current: (credential) => credential,
      revision: 0,
    },
    capabilitiesOf: (scopes) => openCapabilities(definitions, scopes),
    directory: true,
  });
  const principal = await by.authenticate(token);
  if (principal === null) throw new Error(`${token} is refused.`);
  return principal;
}

it('a provider’s token has the capabilities that its scopes open, and all types', async () => {
  const others = NAMES.filter((urn) => urn !== TODOS);
  const modes = async (token: string) => {
    const { capabilities, types } = await authenticate(token);
    expect(types).toBe(null);
    return [capabilities?.get(TODOS), others.every((urn) => capabilities?.get(urn) === 'full')];
  };
  expect(await modes('openid')).toEqual([undefined, true]);
  expect(await modes('openid+todos.read')).toEqual(['read', true]);
  expect(await modes('todos+todos.read')).toEqual(['full', true]);
});

it('two tokens that reach the same have the same session, whoever issued them', async () => {
  const sessions = new Sessions({ capabilities: DEFINITIONS, runtime: new Map(), baseUrl: null });
  const text = async (token: string) => sessions.text(await authenticate(token), 'https://h');
  const make = (more: object) => createToken(database.prisma, ids, { user: 'ann', ...more });
  const all = NAMES.map((urn) => [urn, 'full'] as const);
  const whole = await text(await make({}));
  expect(await text('todos')).toBe(whole);
  expect(await text('todos+profile')).toBe(whole);
  const reading = await text('todos.read');
  const capabilities = new Map<string, string>([...all, [TODOS, 'read']]);
  expect(await text(await make({ capabilities }))).toBe(reading);
  expect(await text(await make({ capabilities: new Map(all) }))).toBe(whole);
  expect(new Set([whole, reading, await text('openid')]).size).toBe(3);
});

it('a provider’s token reaches the directory only where no capability has scopes', async () => {
  await database.prisma.jmapUser.updateMany({ data: { roles: ['admin'] } });
  const hasDirectory = async (token: string, definitions = DEFINITIONS) =>
    (await authenticate(token, definitions)).accounts.has('directory');
  expect(await hasDirectory('openid')).toBe(false);
  expect(await hasDirectory('todos')).toBe(false);
  expect(await hasDirectory('openid', [...registry])).toBe(true);
});
