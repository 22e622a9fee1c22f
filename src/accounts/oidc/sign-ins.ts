import { hash } from 'node:crypto';
import type { ProviderTokens } from '../authenticator.js';
import type { Credential, Gate } from '../principal.js';
import { type Clocks, SYSTEM_CLOCKS } from './clocks.js';
import { JwtSignIns } from './jwt-sign-ins.js';
import { OpaqueSignIns } from './opaque-sign-ins.js';
import type { SignInsOptions } from './sign-in-kind.js';

/** Longer ones are no tokens, characters. */
export const LONGEST_TOKEN = 8192;
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;
/** Ids of credentials begin with this where their tokens are opaque. */
const OPAQUE = 'opaque:';

/** Judges tokens of identity providers, and knows each by a hash. */
export class SignIns implements ProviderTokens {
  readonly #jwts: JwtSignIns;
  readonly #opaques: OpaqueSignIns;

  constructor(given: Omit<SignInsOptions, 'clocks'> & { readonly clocks?: Clocks }) {
    const options = { clocks: SYSTEM_CLOCKS, ...given };
    this.#jwts = new JwtSignIns(options);
    this.#opaques = new OpaqueSignIns(options);
  }

  get revision(): number {
    return this.#opaques.revision;
  }

  async judge(token: string, gate?: Gate): Promise<Credential | null> {
    if (token.length > LONGEST_TOKEN) return null;
    const digest = hash('sha256', token, 'base64url');
    return JWT.test(token)
      ? this.#jwts.judge(`jwt:${digest}`, token, gate)
      : this.#opaques.judge(OPAQUE + digest, token, gate);
  }

  current(credential: Credential): Credential | null {
    const isOpaque = credential.id.startsWith(OPAQUE);
    return (isOpaque ? this.#opaques : this.#jwts).current(credential);
  }

  textOf(credential: Credential): string | null {
    return this.#opaques.textOf(credential);
  }
}
