import type { CallError } from '../call/errors.js';

/** States of types, by account and by type (RFC 8620 7.1). */
export type ChangedStates = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * `waiting`: the next try comes by itself. `needsAuth`: the server refuses the token. `refused`: it
 * refuses the request. Behind these two the tries come more and more rarely, unless by `retry`.
 */
export interface PushStatus {
  readonly state: 'connecting' | 'live' | 'waiting' | 'needsAuth' | 'refused';
  /** Why there is no connection; absent where the server has ended it. */
  readonly error?: CallError;
}

export interface PushOptions {
  /** The types to hear of; without it, all. */
  readonly types?: readonly string[];
  /**
   * Is told states. They begin with all present ones; after a lost connection they go on with those
   * that changed meanwhile. They may have been told before.
   */
  onState(changed: ChangedStates): void;
  onStatus?(status: PushStatus): void;
}

/** A connection on which the server tells what changes. It comes back by itself. */
export interface Push {
  /** Tries at once where there is no connection: the network is back, or the user signed in. */
  retry(): void;
  /** Ends it. Nothing is told from then on. */
  close(): void;
}
