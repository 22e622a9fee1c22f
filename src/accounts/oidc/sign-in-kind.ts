import type { Credential, Gate } from '../principal.js';
import type { Reception } from './accept-token.js';
import type { Clocks } from './clocks.js';
import type { PostForm } from './introspection.js';
import type { Provider } from './open-provider.js';

export interface SignInsOptions extends Reception {
  readonly providers: readonly Provider[];
  /** For questions about opaque tokens. */
  readonly post: PostForm;
  /** Is told why a token of an open connection could not be asked about. */
  readonly onFailure: (error: unknown, issuer: string) => void;
  readonly clocks: Clocks;
  /** How many tokens of a kind are remembered. */
  readonly maxCached?: number;
}

/** Tokens that a kind remembers at most. */
export const MAX_CACHED = 10_000;

/** How sign-ins by one kind of tokens are judged. */
export interface SignInKind {
  /** Judges a token as `ProviderTokens.judge` does; `id` is of its credential. */
  judge(id: string, token: string, gate?: Gate): Promise<Credential | null>;
  /** Returns what `ProviderTokens.current` does. */
  current(credential: Credential): Credential | null;
}
