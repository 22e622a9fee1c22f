import { BEARER_ALONE, type CredentialsOffer } from './challenges.js';
import type { TakeLogout } from './logout.js';
import type { ResourceMetadata } from './resource-metadata.js';

/** The part of the transports in identity providers. */
export interface Identity {
  readonly offer: CredentialsOffer;
  /** Null where there is no identity provider. */
  readonly metadata: ResourceMetadata | null;
  /** Null where no identity provider may sign users out. */
  readonly takeLogout: TakeLogout | null;
}

/** Tokens of ours are all that the server takes. */
export const OWN_TOKENS: Identity = Object.freeze({
  offer: BEARER_ALONE,
  metadata: null,
  takeLogout: null,
});
