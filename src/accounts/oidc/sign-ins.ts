import { hash } from 'node:crypto';
import { UnavailableError } from '../../protocol/errors.js';
import type { ProviderTokens } from '../authenticator.js';
import type { Credential, Gate } from '../principal.js';
import { signInCredential } from '../sign-in.js';
import { issuerOf, TokenRefusedError, verifyAccessToken } from './access-token.js';
import type { Claims } from './claims.js';
import { introspect, type PostForm } from './introspection.js';
import type { Provider } from './open-provider.js';
import { displayNameOf, signInOf } from './sign-in-of.js';

/** A user whose token is good, maybe for the first time. */
export interface Visitor {
  readonly provider: Provider;
  readonly subject: string;
  /** For people; an empty text where the token has none. */
  readonly displayName: string;
}

export interface SignInsOptions {
  readonly providers: readonly Provider[];
  /** For questions about opaque tokens. */
  readonly post: PostForm;
  /** Makes the user where there is none. Resolves to false where none may be made. */
  readonly welcome: (visitor: Visitor) => Promise<boolean>;
  /** Is told why a token is refused, without a value of it; `issuer` is a configured one. */
  readonly onRefused: (reason: string, issuer: string) => void;
  /** Epoch ms. */
  readonly now?: () => number;
  readonly maxCached?: number;
}

/** A judgement that counts for a while. */
interface Judgement {
  readonly provider: Provider;
  /** Null: the provider says that the token is not good. */
  readonly credential: Credential | null;
  /** Epoch ms. */
  readonly until: number;
  readonly generation: number;
  /** An opaque token, to ask the provider again; null: the token proved itself. */
  readonly token: string | null;
}

const MAX_CACHED = 10_000;
/** Questions to providers that may wait at once: made-up tokens must not fill the memory. */
const MAX_QUESTIONS = 64;
/** Longer ones are no tokens, characters. */
export const LONGEST_TOKEN = 8192;
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;
/** The cache knows an opaque token's credential by this. */
const OPAQUE = 'opaque:';

/**
 * Judges tokens of identity providers. Each is verified once: until it ends, or a key of its
 * provider is gone, the server knows it by a hash. An opaque token is asked about again and again.
 */
export class SignIns implements ProviderTokens {
  readonly #options: SignInsOptions;
  readonly #now: () => number;
  readonly #byIssuer: ReadonlyMap<string, Provider>;
  /** The one that is asked about opaque tokens. */
  readonly #asked: Provider | null;
  /** By the id of the credential, oldest first. */
  readonly #known = new Map<string, Judgement>();
  readonly #running = new Map<string, Promise<Judgement | null>>();

  constructor(options: SignInsOptions) {
    const { providers, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#byIssuer = new Map(providers.map((each) => [each.settings.rules.issuer, each]));
    this.#asked = providers.find(({ settings }) => settings.opaque !== null) ?? null;
  }

  async judge(token: string, gate?: Gate): Promise<Credential | null> {
    if (token.length > LONGEST_TOKEN) return null;
    const digest = hash('sha256', token, 'base64url');
    const isJwt = JWT.test(token);
    const id = isJwt ? `jwt:${digest}` : OPAQUE + digest;
    const known = this.#find(id);
    if (known !== null) return known.credential;
    const provider = isJwt ? this.#byIssuer.get(issuerOf(token) ?? '') : this.#asked;
    if (provider === undefined || provider === null) return null;
    await gate?.();
    const judgement = await this.#once(id, () =>
      isJwt ? this.#verify(id, token, provider) : this.#ask(id, token, provider),
    );
    return judgement?.credential ?? null;
  }

  async isGood(credential: Credential): Promise<boolean> {
    const { id } = credential;
    const known = this.#known.get(id);
    // Other processes know its text, if any does; the database knows whether it is over.
    if (known === undefined || known.token === null) return true;
    if (this.#find(id) !== null) return known.credential !== null;
    const { token, provider } = known;
    const judgement = await this.#once(id, () => this.#ask(id, token, provider));
    return judgement?.credential != null;
  }

  /** Returns a judgement that still counts. */
  #find(id: string): Judgement | null {
    const known = this.#known.get(id);
    if (known === undefined) return null;
    const { until, generation, provider } = known;
    return until > this.#now() && generation === provider.generation ? known : null;
  }

  /** Requests that come meanwhile wait for the same judgement. */
  async #once(id: string, work: () => Promise<Judgement | null>): Promise<Judgement | null> {
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const judgement = work().finally(() => this.#running.delete(id));
    this.#running.set(id, judgement);
    return judgement;
  }

  async #verify(id: string, token: string, provider: Provider): Promise<Judgement | null> {
    const { generation, keyOf, settings } = provider;
    const claims = await this.#claims(provider, () =>
      verifyAccessToken(token, settings.rules, keyOf, this.#now()),
    );
    const credential = claims && (await this.#welcome(id, claims, provider));
    // A refused one is judged anew: the user may be made, or the key be there, a moment later.
    if (credential === null) return null;
    const until = credential.signIn?.expires ?? Number.POSITIVE_INFINITY;
    return this.#remember(id, { provider, credential, until, generation, token: null });
  }

  async #ask(id: string, token: string, provider: Provider): Promise<Judgement | null> {
    const { generation, settings } = provider;
    const { opaque, rules } = settings;
    const { post } = this.#options;
    if (opaque === null) return null;
    if (this.#running.size >= MAX_QUESTIONS)
      throw new UnavailableError('Too many tokens wait for an answer of the identity provider.');
    const { clientId, secret } = opaque;
    const endpoint = await provider.introspectionUrl();
    const claims = await this.#claims(provider, () =>
      introspect(token, { endpoint, clientId, secret, rules, post }, this.#now()),
    );
    const credential = claims && (await this.#welcome(id, claims, provider));
    const until = Math.min(
      this.#now() + opaque.cache,
      credential?.signIn?.expires ?? Number.POSITIVE_INFINITY,
    );
    return this.#remember(id, { provider, credential, until, generation, token });
  }

  /** Resolves to verified claims; null where the token is refused. */
  async #claims(
    { settings }: Provider,
    judge: () => Promise<Claims | null>,
  ): Promise<Claims | null> {
    try {
      return await judge();
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error;
      this.#options.onRefused(error.message, settings.rules.issuer);
      return null;
    }
  }

  async #welcome(id: string, claims: Claims, provider: Provider): Promise<Credential | null> {
    const { settings } = provider;
    const { issuer } = settings.rules;
    const signIn = signInOf(claims, settings);
    if (signIn === null) {
      this.#options.onRefused(`"${settings.user.id}" is no name`, issuer);
      return null;
    }
    const { subject } = signIn;
    const displayName = displayNameOf(claims, settings);
    if (await this.#options.welcome({ provider, subject, displayName }))
      return signInCredential(id, signIn);
    this.#options.onRefused('nobody has made its user, and "create" is false', issuer);
    return null;
  }

  #remember(id: string, judgement: Judgement): Judgement {
    this.#known.delete(id);
    this.#known.set(id, judgement);
    const { maxCached = MAX_CACHED } = this.#options;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxCached) break;
      this.#known.delete(oldest);
    }
    return judgement;
  }
}
