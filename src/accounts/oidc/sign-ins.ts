import { hash } from 'node:crypto';
import { ProviderAwayError } from '../../protocol/errors.js';
import { forgetOldest } from '../../runtime/forget-oldest.js';
import type { ProviderTokens } from '../authenticator.js';
import type { Credential, Gate } from '../principal.js';
import { signInCredential } from '../sign-in.js';
import { issuerOf, TokenRefusedError, verifyAccessToken } from './access-token.js';
import type { Claims } from './claims.js';
import { introspect, type PostForm } from './introspection.js';
import type { Provider } from './open-provider.js';
import { type DisplayName, displayNameOf, signInOf } from './sign-in-of.js';

/** A user whose token is good, maybe for the first time. */
export interface Visitor {
  readonly provider: Provider;
  readonly subject: string;
  readonly displayName: DisplayName;
}

export interface SignInsOptions {
  readonly providers: readonly Provider[];
  /** For questions about opaque tokens. */
  readonly post: PostForm;
  /** Makes the user where there is none. Resolves to false where none may be made. */
  readonly welcome: (visitor: Visitor) => Promise<boolean>;
  /** Is told why a token is refused, without a value of it; `issuer` is a configured one. */
  readonly onRefused: (reason: string, issuer: string) => void;
  /** Is told why a token of an open connection could not be asked about. */
  readonly onFailure: (error: unknown, issuer: string) => void;
  /** Ends a token in all processes: its provider has ended it. `id` is of its credential. */
  readonly onEnded: (id: string) => Promise<void>;
  /** Epoch ms. */
  readonly now?: () => number;
  readonly maxCached?: number;
}

/** A judgement that counts for a while. */
interface Judgement {
  readonly provider: Provider;
  readonly credential: Credential;
  /** Epoch ms. */
  readonly until: number;
  readonly generation: number;
  /** An opaque token, to ask the provider again; null: the token proved itself. */
  readonly token: string | null;
}

const MAX_CACHED = 10_000;
/** Questions of requests that may wait at once: made-up tokens must not fill the memory. */
const MAX_QUESTIONS = 64;
/** Questions about tokens of open connections at once. */
const MAX_BACKGROUND = 16;
/** Tokens that are remembered as not good. */
const MAX_REFUSED = 1000;
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
  /** Opaque tokens that are not good, by the id, until when that counts, epoch ms. */
  readonly #refused = new Map<string, number>();
  readonly #running = new Map<string, Promise<Judgement | null>>();
  /** Ids of opaque tokens to ask about again. */
  readonly #stale = new Set<string>();
  /** Questions in the background, and of requests. */
  #asking = 0;
  #questions = 0;

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
    if ((this.#refused.get(id) ?? 0) > this.#now()) return null;
    const provider = isJwt ? this.#byIssuer.get(issuerOf(token) ?? '') : this.#asked;
    if (provider === undefined || provider === null) return null;
    await gate?.();
    const judgement = await this.#once(id, () =>
      isJwt ? this.#verify(id, token, provider) : this.#question(id, token, provider),
    );
    return judgement?.credential ?? null;
  }

  isGood({ id }: Credential): boolean {
    const known = this.#known.get(id);
    // Nobody here knows its text; the database knows whether it is over.
    if (known === undefined) return !this.#refused.has(id);
    const { token, provider, generation } = known;
    if (token === null) return generation === provider.generation;
    if (known.until <= this.#now()) {
      this.#stale.add(id);
      this.#askAgain();
    }
    return true;
  }

  /** Asks about tokens of open connections, some at a time, the longest waiting first. */
  #askAgain(): void {
    const { onFailure } = this.#options;
    for (const id of this.#stale) {
      if (this.#asking >= MAX_BACKGROUND) return;
      this.#stale.delete(id);
      const known = this.#known.get(id);
      if (known === undefined || known.token === null) continue;
      const { token, provider } = known;
      this.#asking += 1;
      // While nobody answers, a token that was good stays so.
      void this.#once(id, () => this.#ask(id, token, provider))
        .catch((error: unknown) => onFailure(error, provider.settings.rules.issuer))
        .finally(() => {
          this.#asking -= 1;
          this.#askAgain();
        });
    }
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

  /** Asks about the token of a request. */
  async #question(id: string, token: string, provider: Provider): Promise<Judgement | null> {
    if (this.#questions >= MAX_QUESTIONS)
      throw new ProviderAwayError('Too many tokens wait for an answer of the identity provider.');
    this.#questions += 1;
    try {
      return await this.#ask(id, token, provider);
    } finally {
      this.#questions -= 1;
    }
  }

  async #ask(id: string, token: string, provider: Provider): Promise<Judgement | null> {
    const { generation, settings } = provider;
    const { opaque, rules } = settings;
    if (opaque === null) return null;
    const { post, onEnded } = this.#options;
    const { clientId, secret } = opaque;
    const endpoint = await provider.introspectionUrl();
    const claims = await this.#claims(provider, () =>
      introspect(token, { endpoint, clientId, secret, rules, post }, this.#now()),
    );
    const credential = claims && (await this.#welcome(id, claims, provider));
    const until = this.#now() + opaque.cache;
    if (credential !== null) {
      const end = credential.signIn?.expires ?? Number.POSITIVE_INFINITY;
      return this.#remember(id, {
        provider,
        credential,
        until: Math.min(until, end),
        generation,
        token,
      });
    }
    this.#refused.set(id, until);
    forgetOldest(this.#refused, MAX_REFUSED);
    // Other processes may have connections by it, and not know its text.
    if (this.#known.has(id)) await onEnded(id);
    this.#known.delete(id);
    return null;
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
    forgetOldest(this.#known, this.#options.maxCached ?? MAX_CACHED);
    return judgement;
  }
}
