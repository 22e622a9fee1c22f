import type { TokenRules } from './access-token.js';
import type { AccessRule, RoleRule } from './claims.js';

/** How this server treats the tokens of one identity provider. */
export interface ProviderSettings {
  readonly rules: TokenRules;
  /** Where the provider's keys are; null: its discovery document says it. */
  readonly jwks: URL | null;
  readonly user: {
    /** Name of the claim that identifies a user for ever. */
    readonly id: string;
    /** Names of claims with the user's name for people: the first that a token has counts. */
    readonly names: readonly string[];
    /** A user who is not known yet is made. */
    readonly create: boolean;
  };
  /** The account that is made with a user, `{name}` in its name being the user's; null: none. */
  readonly account: { readonly name: string } | null;
  readonly access: readonly AccessRule[];
  readonly roles: RoleRule | null;
  /** At most one provider has it, for such a token doesn't name its issuer. */
  readonly opaque: OpaqueTokens | null;
  /** Ids of clients that a logout token may be for; null: the provider signs nobody out. */
  readonly logout: { readonly clients: readonly string[] } | null;
}

/** Tokens that the provider is asked about (RFC 7662). */
export interface OpaqueTokens {
  /** Null: the discovery document says it. */
  readonly endpoint: URL | null;
  /** The id and the secret of this server at the provider. */
  readonly clientId: string;
  readonly secret: string;
  /** An answer counts so long, ms. */
  readonly cache: number;
}

/** The parts of the authentication that an operator chooses. */
export interface AuthSettings {
  readonly providers: readonly ProviderSettings[];
  /** `tokens`: the password of Basic may be a token of ours. */
  readonly basic: 'off' | 'tokens';
}

/** Algorithms of tokens where none are named. */
export const USUAL_ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** All that every supported Node verifies. The keys of symmetric ones are known to the provider. */
export const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
];

/** One algorithm has two names (RFC 9864), and either may stand in a token. */
const TWINS: Readonly<Record<string, string>> = { EdDSA: 'Ed25519', Ed25519: 'EdDSA' };

/** The rules of a provider without more than it must have. Seconds, as in TokenRules. */
const CLOCK_TOLERANCE = 30;

/** The settings of a provider where only its issuer and its audience are given. */
export function usualSettings(issuer: string, audience: readonly string[]): ProviderSettings {
  return {
    rules: {
      ...{ issuer, audience, clockTolerance: CLOCK_TOLERANCE },
      algorithms: withTwins(USUAL_ALGORITHMS),
    },
    jwks: null,
    user: { id: 'sub', names: ['email', 'preferred_username', 'name', 'sub'], create: true },
    account: { name: '{name}' },
    access: [],
    roles: null,
    opaque: null,
    logout: null,
  };
}

/** Returns algorithms by all of their names. */
export function withTwins(algorithms: readonly string[]): readonly string[] {
  const all = algorithms.flatMap((name) => [name, ...(TWINS[name] ? [TWINS[name]] : [])]);
  return [...new Set(all)];
}
