import type { JWTVerifyGetKey } from 'jose';
import type { PostForm } from './introspection.js';
import type { ProviderSettings } from './settings.js';

/** An identity provider as the server knows it. */
export interface Provider {
  readonly settings: ProviderSettings;
  /** For jose. Rejects with UnavailableError where the provider's keys can't be had. */
  readonly keyOf: JWTVerifyGetKey;
  /** Is another number once a key is gone: tokens that it signed are to be judged again. */
  readonly generation: number;
  /** Resolves to where it is asked about tokens. Rejects with UnavailableError. */
  introspectionUrl(): Promise<URL>;
  readonly post: PostForm;
}
