// An identity provider for this machine alone: everybody who knows a name gets in.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Provider } from 'oidc-provider';

const { JMAP_URL = 'http://127.0.0.1:8080', PROVIDER_URL = 'http://127.0.0.1:9000' } = process.env;
const KEY_FILE = 'data/provider-key.json';

/** The people, by the name that they sign in with. */
const PEOPLE = {
  ann: { sub: 'ann', email: 'ann@example.com', groups: ['team-red'] },
  ben: { sub: 'ben', email: 'ben@example.com', groups: [] },
};

/** Returns the key that signs tokens. A new one would end all tokens at each start. */
function readKey() {
  try {
    return JSON.parse(readFileSync(KEY_FILE, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' };
  mkdirSync('data', { recursive: true });
  writeFileSync(KEY_FILE, JSON.stringify(key), { mode: 0o600 });
  return key;
}

const provider = new Provider(PROVIDER_URL, {
  jwks: { keys: [readKey()] },
  clients: [
    {
      client_id: 'list-app',
      // An application that can keep no secret: it proves itself by PKCE.
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:9001/callback'],
      backchannel_logout_uri: `${JMAP_URL}/oidc/logout`,
      backchannel_logout_session_required: true,
    },
  ],
  pkce: { required: () => true },
  scopes: ['openid'],
  cookies: { keys: ['for this machine alone'] },
  ttl: { Grant: 86_400, IdToken: 3600, Interaction: 600, Session: 86_400 },
  findAccount: (_, name) =>
    Object.hasOwn(PEOPLE, name) ? { accountId: name, claims: async () => PEOPLE[name] } : undefined,
  // The access token is all that the JMAP server sees of a person.
  extraTokenClaims: (_, { accountId }) => {
    const { email, groups } = PEOPLE[accountId] ?? {};
    return { email, groups };
  },
  features: {
    backchannelLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => JMAP_URL,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'list',
        audience: JMAP_URL,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
      }),
    },
  },
  // Its own refuses addresses of this machine.
  fetch: (url, init) => fetch(url, { ...init, dispatcher: undefined }),
});

for (const event of ['server_error', 'backchannel.error'])
  provider.on(event, (_, error) => process.stderr.write(`${error.message}\n`));

const { hostname, port } = new URL(PROVIDER_URL);
const server = provider.listen(Number(port), hostname, () => {
  process.stdout.write(`The provider is at ${PROVIDER_URL}\n`);
});
server.on('error', (error) => {
  if (error.code !== 'EADDRINUSE') throw error;
  process.stderr.write(
    `Another program uses ${PROVIDER_URL}. Set PROVIDER_URL to another address, in every terminal.\n`,
  );
  process.exitCode = 1;
});
