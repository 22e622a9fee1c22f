import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { AdapterPayload, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Browser } from './browser.js';

/** A real identity provider, in the process of the tests, at http://127.0.0.1. */

const RESOURCE_SCOPES = 'todos todos.read';
const LIFETIME = 300;

export interface OidcServerOptions {
  /** The audience of its access tokens: BASE_URL of the server in test. */
  readonly resource: string;
  /** Returns the base URL that hears of logouts; null: none does. */
  readonly logoutUrl?: () => string | null;
}

export const APPLICATION = 'mail-app';
/** The client by which the server in test asks about opaque tokens. */
export const INTROSPECTION = { id: 'jmap', secret: 'a secret for introspection' };
const REDIRECT = 'http://127.0.0.1:9/callback';

export interface Minted {
  readonly sub: string;
  readonly scope?: string;
  readonly audience?: string;
  /** Seconds. */
  readonly lifetime?: number;
}

/** Makes a private key as a JWK. */
export async function makeKey(alg: string, kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
}

/** The provider's storage: it outlives a rotation of keys, which takes another Provider. */
class Rows {
  readonly #rows = new Map<string, AdapterPayload>();

  /** Returns the storage of a model. */
  of(model: string) {
    const keyOf = (id: string): string => `${model}:${id}`;
    const find = async (id: string) => this.#rows.get(keyOf(id));
    return {
      find,
      findByUid: async (uid: string) =>
        [...this.#rows].find(([key, row]) => key.startsWith(`${model}:`) && row.uid === uid)?.[1],
      findByUserCode: async () => undefined,
      upsert: async (id: string, row: AdapterPayload) => void this.#rows.set(keyOf(id), row),
      consume: async (id: string) => {
        const row = await find(id);
        if (row !== undefined) row['consumed'] = Math.floor(Date.now() / 1000);
      },
      destroy: async (id: string) => void this.#rows.delete(keyOf(id)),
      revokeByGrantId: async (grantId: string) => {
        for (const [key, row] of this.#rows) if (row.grantId === grantId) this.#rows.delete(key);
      },
    };
  }
}

export class OidcServer {
  readonly issuer: string;
  /** How often its documents were asked for. */
  readonly counts = { discovery: 0, keys: 0, introspection: 0 };
  /** Claims of access tokens, by subject. Only these may sign in. */
  readonly claims = new Map<string, Record<string, unknown>>();
  /** Opaque tokens have no content of their own. */
  format: 'jwt' | 'opaque' = 'jwt';
  /** Cuts every connection. */
  isAway = false;
  /** The errors of posts that tell of logouts. */
  readonly logoutErrors: unknown[] = [];
  readonly #options: OidcServerOptions;
  readonly #rows = new Rows();
  readonly #server: ReturnType<typeof createServer>;
  #keys: readonly JWK[] = [];
  #provider: Provider | null = null;
  #handle: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;

  private constructor(options: OidcServerOptions, server: ReturnType<typeof createServer>) {
    this.#options = options;
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (req, res) => this.#answer(req, res));
  }

  static async start(options: OidcServerOptions, keys?: readonly JWK[]): Promise<OidcServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const self = new OidcServer(options, server);
    await self.rotate(keys ?? [await makeKey('RS256', 'first')]);
    return self;
  }

  /** Signs with the first of the keys from now on, and publishes them all. */
  async rotate(keys: readonly JWK[]): Promise<void> {
    this.#keys = keys;
    const { Provider: OidcProvider } = await import('oidc-provider');
    const provider = new OidcProvider(this.issuer, this.#configuration());
    provider.on('server_error', (_, error) => this.logoutErrors.push(error));
    provider.on('backchannel.error', (_, error) => this.logoutErrors.push(error));
    provider.use((context, next) => this.#interact(context as KoaContextWithOIDC, next));
    this.#provider = provider;
    this.#handle = provider.callback();
  }

  /** Makes an access token as a sign-in would. */
  async mint({ sub, scope = RESOURCE_SCOPES, audience, lifetime = LIFETIME }: Minted) {
    const provider = this.#provider;
    const client = await provider?.Client.find(APPLICATION);
    if (!provider || !client) throw new Error('The provider has started.');
    const resource = audience ?? this.#options.resource;
    const grant = new provider.Grant({ accountId: sub, clientId: APPLICATION });
    grant.addResourceScope(resource, scope);
    const resourceServer = new provider.ResourceServer(resource, this.#resource(resource));
    const token = new provider.AccessToken({
      ...{ accountId: sub, client, scope, gty: 'authorization_code' },
      ...{ grantId: await grant.save(), expiresIn: lifetime },
    });
    token.resourceServer = resourceServer;
    return token.save();
  }

  /** Signs claims with the first key, or another one: for tokens that no provider makes. */
  async sign(claims: JWTPayload, header: object = {}, key = this.#keys[0]): Promise<string> {
    if (key === undefined) throw new Error('The provider has a key.');
    const { alg = 'RS256', kid = '' } = key;
    const protectedHeader = { alg, kid, ...header };
    return new SignJWT(claims).setProtectedHeader(protectedHeader).sign(await importJWK(key, alg));
  }

  /** Signs a user in as a browser does (RFC 6749 4.1, RFC 7636); resolves to the access token. */
  async signIn(sub: string, browser: Browser, scope = `openid ${RESOURCE_SCOPES}`) {
    const { resource } = this.#options;
    const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    const query = new URLSearchParams({
      ...{ client_id: APPLICATION, response_type: 'code', redirect_uri: REDIRECT },
      ...{ scope, resource, state: 's', code_challenge_method: 'S256' },
      code_challenge: Buffer.from(digest).toString('base64url'),
    });
    const end = await browser.follow(`${this.issuer}/auth?${query}`, REDIRECT, {
      'x-test-user': sub,
    });
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: APPLICATION, redirect_uri: REDIRECT },
        ...{ code: end.searchParams.get('code') ?? '', code_verifier: verifier, resource },
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** Signs out at the provider, which tells its clients. */
  async signOut(browser: Browser): Promise<void> {
    const page = await (await browser.get(`${this.issuer}/session/end`)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    await browser.post(`${this.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    if (this.isAway) {
      req.socket.destroy();
      return;
    }
    const path = req.url ?? '';
    if (path.startsWith('/.well-known/')) this.counts.discovery += 1;
    if (path.startsWith('/jwks')) this.counts.keys += 1;
    if (path.startsWith('/token/introspection')) this.counts.introspection += 1;
    void this.#handle(req, res);
  }

  #resource(audience: string) {
    const alg = this.#keys[0]?.alg ?? 'RS256';
    return {
      ...{ scope: RESOURCE_SCOPES, audience, accessTokenFormat: this.format },
      ...(this.format === 'jwt' ? { jwt: { sign: { alg } } } : {}),
    } as ConstructorParameters<Provider['ResourceServer']>[1];
  }

  #configuration(): Configuration {
    const { resource, logoutUrl } = this.#options;
    const heard = logoutUrl?.() ?? null;
    const alg = (this.#keys[0]?.alg ?? 'RS256') as 'RS256';
    const rows = this.#rows;
    const options: Configuration = {
      adapter: (model: string) => rows.of(model),
      jwks: { keys: [...this.#keys] as never },
      clients: [
        {
          ...{ client_id: APPLICATION, token_endpoint_auth_method: 'none' },
          ...{ redirect_uris: [REDIRECT], application_type: 'native' },
          ...(heard === null ? {} : { backchannel_logout_uri: `${heard}/oidc/logout` }),
          backchannel_logout_session_required: heard !== null,
        },
        {
          ...{ client_id: INTROSPECTION.id, client_secret: INTROSPECTION.secret },
          ...{ redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
        },
      ],
      clientDefaults: { id_token_signed_response_alg: alg },
      cookies: { keys: ['test'] },
      ttl: {
        ...{ AccessToken: LIFETIME, ClientCredentials: LIFETIME, IdToken: LIFETIME },
        ...{ Grant: 3600, Interaction: 600, Session: 3600 },
      },
      scopes: ['openid', 'offline_access'],
      findAccount: (_, sub) =>
        this.claims.has(sub) ? { accountId: sub, claims: async () => ({ sub }) } : undefined,
      extraTokenClaims: (_, token) =>
        this.claims.get(('accountId' in token && token.accountId) || ''),
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: async () => true },
        revocation: { enabled: true, allowedPolicy: async () => true },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (context, form) => setBody(context, form),
          postLogoutSuccessSource: (context) => setBody(context, 'signed out'),
        },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, indicator) => this.#resource(indicator),
        },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      // Its own agent refuses addresses of this machine.
      fetch: (url, init) => fetch(url, { ...init, dispatcher: undefined as never }),
    };
    return options;
  }

  /** Signs in whom the browser names, and grants all that is asked. */
  async #interact(context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
    const provider = this.#provider;
    if (provider === null || !context.path.startsWith('/interaction/')) return next();
    const { prompt, params, session, grantId } = await provider.interactionDetails(
      context.req,
      context.res,
    );
    const isLogin = prompt.name === 'login';
    const result = isLogin
      ? { login: { accountId: context.get('x-test-user') } }
      : { consent: { grantId: await this.#grant(provider, { prompt, params, session, grantId }) } };
    const to = await provider.interactionResult(context.req, context.res, result, {
      mergeWithLastSubmission: !isLogin,
    });
    context.redirect(to);
    context.status = 303;
  }

  async #grant(
    provider: Provider,
    {
      prompt,
      params,
      session,
      grantId,
    }: Pick<Interaction, 'prompt' | 'params' | 'session'> & {
      grantId?: string | undefined;
    },
  ): Promise<string> {
    const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const accountId = session?.accountId ?? '';
    const grant = known ?? new provider.Grant({ accountId, clientId: String(params['client_id']) });
    const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as {
      missingOIDCScope?: readonly string[];
      missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
    };
    grant.addOIDCScope(missingOIDCScope.join(' '));
    for (const [resource, scopes] of Object.entries(missingResourceScopes))
      grant.addResourceScope(resource, scopes.join(' '));
    return grant.save();
  }
}

function setBody(context: { body: unknown }, body: unknown): void {
  context.body = body;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
