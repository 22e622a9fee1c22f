import type { TokenRules } from './access-token.js';
import type { AccessRule, RoleRule } from './claims.js';

/** One identity provider, as the configuration has it. */
export interface ProviderSettings {
  readonly rules: TokenRules;
  /** Where its keys are; null: its discovery document says so. */
  readonly jwks: URL | null;
  readonly user: {
    /** The claim that identifies a user for good. */
    readonly id: string;
    /** The claims that may hold a name for people, the best one first. */
    readonly name: readonly string[];
    /** Whether unknown users are made. */
    readonly create: boolean;
  };
  /** The account of a new user; null: none is made. `{name}` in the name is the user's name. */
  readonly account: { readonly name: string } | null;
  readonly access: readonly AccessRule[];
  readonly roles: RoleRule | null;
  /** How the provider is asked about tokens that are no JWTs; null: it isn't. */
  readonly opaque: OpaqueSettings | null;
  /** Ids of the clients whose users the provider signs out here. */
  readonly logoutClients: readonly string[];
}

export interface OpaqueSettings {
  readonly clientId: string;
  readonly secret: string;
  /** How long an answer counts, ms. */
  readonly cache: number;
}

export interface AuthSettings {
  readonly providers: readonly ProviderSettings[];
  /** A token of ours may come as the password of Basic authentication. */
  readonly basic: boolean;
}
