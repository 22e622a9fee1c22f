import { ProviderAwayError } from '../../protocol/errors.js';
import { setNewest } from '../../runtime/forget-oldest.js';
import type { Credential, Gate, SignIn } from '../principal.js';
import { isSameSignIn, withoutEnd } from '../sign-in.js';
import { acceptToken } from './accept-token.js';
import type { Claims } from './claims.js';
import { introspect } from './introspection.js';
import type { Provider } from './open-provider.js';
import { RunningWorks } from './running-works.js';
import type { OpaqueTokens } from './settings.js';
import { MAX_CACHED, type SignInKind, type SignInsOptions } from './sign-in-kind.js';

/** The last that the provider said of a token. Times are on the clock of what passes. */
interface Answer {
  readonly token: string;
  readonly credential: Credential;
  /** When the provider is asked again. */
  readonly until: number;
  /** The first and the last question since then that got no answer. */
  silence: { readonly from: number; readonly to: number } | null;
}

/** The provider that is asked, and how. */
interface Asked {
  readonly provider: Provider;
  readonly opaque: OpaqueTokens;
}

/** Questions of requests that may wait at once: made-up tokens must not fill the memory. */
const MAX_QUESTIONS = 64;
/** The same about tokens that were good: made-up ones never hold them up. */
const MAX_REPEATED = 256;
/** Questions about tokens of open connections at once. */
const MAX_BACKGROUND = 16;
/** Tokens of open connections stay good for so long while the provider doesn't answer, ms. */
const MAX_SILENCE = 15 * 60_000;
/** A question so long after the last one that got no answer begins another silence, ms. */
const MAX_GAP = 60_000;
/** No request asks again so long after a question that got no answer, ms. */
const PAUSE = 1000;
/** Tokens that are remembered as not good. */
const MAX_REFUSED = 1000;

/** Works that may run at once; a further one is refused. */
class Slots {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0)
      throw new ProviderAwayError('Too many tokens wait for an answer of the identity provider.');
    this.#free -= 1;
    try {
      return await work();
    } finally {
      this.#free += 1;
    }
  }
}

/**
 * Sign-ins by tokens that the provider is asked about, again and again: they may end, and reach
 * less or more. Each server that has a connection by such a token knows its text, and asks itself.
 */
export class OpaqueSignIns implements SignInKind {
  readonly #options: SignInsOptions;
  /** Null: no provider is asked. */
  readonly #asked: Asked | null;
  /** Good ones by the id of the credential, the longest unasked first. */
  readonly #known = new Map<string, Answer>();
  /** Refused ones by the id, and until when that counts, on the clock of what passes. */
  readonly #refused = new Map<string, number>();
  readonly #running = new RunningWorks<Credential | null>();
  /** Ids of tokens to ask about again. */
  readonly #stale = new Set<string>();
  /** Questions in the background. */
  #asking = 0;
  readonly #first = new Slots(MAX_QUESTIONS);
  readonly #repeated = new Slots(MAX_REPEATED);
  #revision = 0;

  constructor(options: SignInsOptions) {
    this.#options = options;
    const asked = options.providers.flatMap((provider): readonly Asked[] => {
      const { opaque } = provider.settings;
      return opaque === null ? [] : [{ provider, opaque }];
    });
    this.#asked = asked[0] ?? null;
  }

  /** Another number once the provider says something else of a good token. */
  get revision(): number {
    return this.#revision;
  }

  async judge(id: string, token: string, gate?: Gate): Promise<Credential | null> {
    const known = this.#known.get(id);
    if (known !== undefined && this.#isFresh(known)) return known.credential;
    const asked = this.#asked;
    if (asked === null || this.#isRefused(id)) return null;
    if (known === undefined) await gate?.();
    else if (this.#passedSince(known) < PAUSE)
      throw new ProviderAwayError('The identity provider can not be asked about a token.');
    const slots = known === undefined ? this.#first : this.#repeated;
    return this.#running.share(id, () => this.#ask(id, token, asked, slots));
  }

  /** One that nobody here can ask about is good no more. */
  current({ id }: Credential): Credential | null {
    const known = this.#known.get(id);
    if (known === undefined) return null;
    if (this.#isFresh(known)) return known.credential;
    this.#stale.add(id);
    this.#askAgain();
    return this.#isLost(known) ? null : known.credential;
  }

  #isFresh({ until, credential }: Answer): boolean {
    const { passed, wall } = this.#options.clocks;
    const expires = credential.signIn?.expires ?? null;
    return until > passed() && (expires === null || expires > wall());
  }

  /** Returns whether questions have got no answer for long, up to now. */
  #isLost(known: Answer): boolean {
    const { from = 0, to = 0 } = known.silence ?? {};
    return to - from >= MAX_SILENCE && this.#passedSince(known) < MAX_GAP;
  }

  /** Returns how long the last question without an answer is ago, ms. */
  #passedSince({ silence }: Answer): number {
    return silence === null ? Number.POSITIVE_INFINITY : this.#options.clocks.passed() - silence.to;
  }

  /** Notes that a question got no answer. */
  #noteSilence(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    const to = this.#options.clocks.passed();
    const isNew = this.#passedSince(known) > MAX_GAP;
    known.silence = { from: isNew ? to : (known.silence?.from ?? to), to };
  }

  #isRefused(id: string): boolean {
    const until = this.#refused.get(id);
    return until !== undefined && until > this.#options.clocks.passed();
  }

  /** Asks about tokens of open connections, some at a time, the longest waiting first. */
  #askAgain(): void {
    const asked = this.#asked;
    if (asked === null) return;
    for (const id of this.#stale) {
      if (this.#asking >= MAX_BACKGROUND) return;
      this.#stale.delete(id);
      const known = this.#known.get(id);
      if (known === undefined) continue;
      this.#asking += 1;
      // While nobody answers, a token that was good stays so for a while.
      void this.#running
        .share(id, () => this.#ask(id, known.token, asked, null))
        .catch((error: unknown) =>
          this.#options.onFailure(error, asked.provider.settings.rules.issuer),
        )
        .finally(() => {
          this.#asking -= 1;
          this.#askAgain();
        });
    }
  }

  async #ask(
    id: string,
    token: string,
    { provider, opaque }: Asked,
    slots: Slots | null,
  ): Promise<Credential | null> {
    const { post, clocks } = this.#options;
    const { rules } = provider.settings;
    const { clientId, secret, cache } = opaque;
    const question = async (): Promise<Claims | null> => {
      const endpoint = await provider.introspectionUrl();
      return introspect(token, { endpoint, clientId, secret, rules, post }, clocks.wall());
    };
    const credential = await acceptToken(this.#options, provider, id, () =>
      slots === null ? question() : slots.run(question),
    ).catch((error: unknown) => {
      if (error instanceof ProviderAwayError) this.#noteSilence(id);
      throw error;
    });
    const until = clocks.passed() + cache;
    return credential === null
      ? this.#forget(id, until)
      : this.#remember(id, { token, credential, until, silence: null });
  }

  #forget(id: string, until: number): null {
    if (this.#known.delete(id)) this.#revision += 1;
    setNewest(this.#refused, id, until, MAX_REFUSED);
    return null;
  }

  #remember(id: string, answer: Answer): Credential {
    const before = this.#known.get(id)?.credential;
    const credential =
      before && isSameSignIn(before.signIn, answer.credential.signIn) ? before : answer.credential;
    // An end that moves on with each answer changes nothing for others.
    if (before && !isSameSignIn(endless(before), endless(credential))) this.#revision += 1;
    this.#refused.delete(id);
    const { maxCached = MAX_CACHED } = this.#options;
    setNewest(this.#known, id, { ...answer, credential }, maxCached);
    return credential;
  }
}

function endless({ signIn }: Credential): SignIn | null {
  return signIn && withoutEnd(signIn);
}
