import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Clocks } from '../../../src/accounts/oidc/clocks.js';
import type { PostForm } from '../../../src/accounts/oidc/introspection.js';
import { KeyRing } from '../../../src/accounts/oidc/key-ring.js';
import type { Provider } from '../../../src/accounts/oidc/open-provider.js';
import type { ProviderSettings } from '../../../src/accounts/oidc/settings.js';
import { UnavailableError } from '../../../src/protocol/errors.js';

export const ISSUER = 'https://id.example.com/realms/team';
export const AUDIENCE = 'https://jmap.example.com/api';
export const CLIENT = 'mail-app';
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';

/** An identity provider in the memory of a test. It signs with a real key. */
export interface TestProvider extends Provider {
  /** Its keys can't be had, and it answers no question. */
  isAway: boolean;
  /** How often somebody asked for a key, and about a token. */
  readonly counts: { keys: number; questions: number };
  readonly post: PostForm;
  /** Its answers about opaque tokens; others are not active. */
  readonly opaque: Map<string, object>;
  /** Signs an access token; `claims` are over those of a good one. */
  sign(claims?: JWTPayload): Promise<string>;
  signLogout(claims: JWTPayload): Promise<string>;
  /** Signs with a new key from now on. */
  rotate(): Promise<void>;
  /** Takes all other keys away. */
  retire(): void;
}

/** Both clocks of a test that sets nothing back. */
export function clocksOf(now: () => number): Clocks {
  return { wall: now, passed: now };
}

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

/** `now` is the provider's clock, epoch ms. */
export async function makeProvider(
  now: () => number,
  settings: Partial<ProviderSettings> = {},
): Promise<TestProvider> {
  // The last one signs.
  let keys = [await makeKey('k0')];
  const ring = new KeyRing({
    read: async () => ({ keys: keys.map(({ jwk }) => jwk) }),
    stored: null,
    ...{ store: () => undefined, onError: () => undefined, clocks: clocksOf(now) },
  });
  const seconds = (): number => Math.floor(now() / 1000);
  const sign = (claims: JWTPayload, typ: string): Promise<string> => {
    const key = keys.at(-1);
    if (key === undefined) throw new Error('There is always a key.');
    const header = { alg: 'ES256', kid: key.kid, typ };
    return new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey);
  };
  let messages = 0;
  const provider: TestProvider = {
    settings: {
      rules: {
        ...{ issuer: ISSUER, audience: [AUDIENCE], algorithms: ['ES256'], clockTolerance: 30 },
      },
      jwks: null,
      user: { id: 'sub', names: ['email'], create: true },
      account: { name: '{name}' },
      ...{ access: [], roles: null, opaque: null, logout: { clients: [CLIENT] } },
      ...settings,
    },
    isAway: false,
    counts: { keys: 0, questions: 0 },
    opaque: new Map(),
    keyOf: async (header, token) => {
      provider.counts.keys += 1;
      if (provider.isAway) throw new UnavailableError('away');
      return ring.keyOf(header, token);
    },
    hasKey: (thumbprint) => ring.hasKey(thumbprint),
    rotate: async () => {
      keys = [...keys, await makeKey(`k${keys.length}`)];
    },
    retire: () => {
      keys = keys.slice(-1);
    },
    introspectionUrl: async () => new URL('https://id.example.com/introspect'),
    post: async (_url, form) => {
      provider.counts.questions += 1;
      if (provider.isAway) throw new Error('away');
      const said = provider.opaque.get(form.get('token') ?? '');
      return { status: 200, json: said === undefined ? { active: false } : said };
    },
    sign: (claims = {}) =>
      sign(
        {
          ...{ iss: ISSUER, aud: AUDIENCE, sub: 's1', scope: 'todos', azp: CLIENT },
          ...{ iat: seconds(), exp: seconds() + 300, ...claims },
        },
        'at+jwt',
      ),
    signLogout: (claims) => {
      messages += 1;
      const jti = `message${messages}`;
      const marks = { iss: ISSUER, aud: CLIENT, iat: seconds(), exp: seconds() + 120, jti };
      return sign({ ...marks, events: { [LOGOUT]: {} }, ...claims }, 'logout+jwt');
    },
  };
  return provider;
}
