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
  readonly #proven: JwtSignIns;
  readonly #opaque: OpaqueSignIns;

  constructor(given: Omit<SignInsOptions, 'clocks'> & { readonly clocks?: Clocks }) {
    const options = { clocks: SYSTEM_CLOCKS, ...given };
    this.#proven = new JwtSignIns(options);
    this.#opaque = new OpaqueSignIns(options);
  }

  get revision(): number {
    return this.#opaque.revision;
  }

  async judge(token: string, gate?: Gate): Promise<Credential | null> {
    if (token.length > LONGEST_TOKEN) return null;
    const digest = hash('sha256', token, 'base64url');
    return JWT.test(token)
      ? this.#proven.judge(`jwt:${digest}`, token, gate)
      : this.#opaque.judge(OPAQUE + digest, token, gate);
  }

  current(credential: Credential): Credential | null {
    const isOpaque = credential.id.startsWith(OPAQUE);
    return (isOpaque ? this.#opaque : this.#proven).current(credential);
  }
}
