import type { JudgeLogout } from '../accounts/oidc/back-channel.js';
import { BEARER_ALONE, type CredentialsOffer } from './challenges.js';

/** The document of a protected resource (RFC 9728 2). */
export interface ResourceMetadata {
  /** Where it is. */
  readonly url: string;
  /** BASE_URL as it is written: clients compare it (RFC 9728 3.3). */
  readonly resource: string;
  /** Issuers. */
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
}

/** The part of the transports in identity providers. */
export interface Identity {
  readonly offer: CredentialsOffer;
  /** Null where there is no identity provider. */
  readonly metadata: ResourceMetadata | null;
  /** Null where no identity provider may sign users out. */
  readonly judgeLogout: JudgeLogout | null;
}

/** Tokens of ours are all that the server takes. */
export const OWN_TOKENS: Identity = Object.freeze({
  offer: BEARER_ALONE,
  metadata: null,
  judgeLogout: null,
});
