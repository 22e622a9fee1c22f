import { KeyObject } from 'node:crypto';
import { setNewest } from '../../runtime/forget-oldest.js';
import type { Credential, Gate } from '../principal.js';
import { acceptToken } from './accept-token.js';
import { issuerOf, verifyAccessToken } from './access-token.js';
import type { FindKey } from './key-ring.js';
import type { Provider } from './open-provider.js';
import { RunningWorks } from './running-works.js';
import { MAX_CACHED, type SignInKind, type SignInsOptions } from './sign-in-kind.js';
import { thumbprintOf } from './thumbprint.js';

interface Judgement {
  readonly provider: Provider;
  readonly credential: Credential;
  /** Thumbprint of the key that signed the token. */
  readonly signer: string;
}

/**
 * Sign-ins by tokens that prove themselves. Each is verified once: it is known until it ends, or
 * its provider has the key no more that signed it.
 */
export class JwtSignIns implements SignInKind {
  readonly #options: SignInsOptions;
  readonly #byIssuer: ReadonlyMap<string, Provider>;
  /** By the id of the credential, oldest first. */
  readonly #known = new Map<string, Judgement>();
  readonly #running = new RunningWorks<Credential | null>();

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#byIssuer = new Map(
      options.providers.map((provider) => [provider.settings.rules.issuer, provider]),
    );
  }

  async judge(id: string, token: string, gate?: Gate): Promise<Credential | null> {
    const known = this.#known.get(id);
    if (known !== undefined && isSigned(known) && !this.#isOver(known)) return known.credential;
    const provider = this.#byIssuer.get(issuerOf(token) ?? '');
    if (provider === undefined) return null;
    await gate?.();
    // A refused one is judged anew: the user may be made, or the key be there, a moment later.
    return this.#running.share(id, () => this.#verify(id, token, provider));
  }

  current(credential: Credential): Credential | null {
    const known = this.#known.get(credential.id);
    // Of the oldest tokens nobody knows which key signed them.
    return known === undefined || isSigned(known) ? credential : null;
  }

  #isOver({ credential }: Judgement): boolean {
    const expires = credential.signIn?.expires ?? null;
    return expires !== null && expires <= this.#options.clocks.wall();
  }

  async #verify(id: string, token: string, provider: Provider): Promise<Credential | null> {
    const { clocks, maxCached = MAX_CACHED } = this.#options;
    let signer = '';
    const keyOf: FindKey = async (header, input) => {
      const key = await provider.keyOf(header, input);
      signer = thumbprintOf(KeyObject.from(key));
      return key;
    };
    const credential = await acceptToken(this.#options, provider, id, () =>
      verifyAccessToken(token, provider.settings.rules, keyOf, clocks.wall()),
    );
    if (credential === null) return null;
    setNewest(this.#known, id, { provider, credential, signer }, maxCached);
    return credential;
  }
}

function isSigned({ provider, signer }: Judgement): boolean {
  return provider.hasKey(signer);
}
