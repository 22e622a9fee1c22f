import type { Principal } from '../../accounts/principal.js';
import type { PushKeys, PushSubscriptions } from '../../accounts/push-port.js';
import type { JsonObject } from '../../protocol/json.js';

/** The part that pushes. It hears of committed changes; no call waits for what follows. */
export interface Pusher {
  /**
   * Resolves to the id of the present states of some types, or of all where `types` is null: what a
   * new subscription counts as told. Null: it counts as told nothing.
   */
  readPresentStates(principal: Principal, types: readonly string[] | null): Promise<string | null>;
  /** A subscription waits for its verification. */
  created(id: string): void;
  changed(id: string): void;
  removed(id: string): void;
}

/** The parts of the process that the methods of push subscriptions need. */
export interface PushServices {
  readonly rows: PushSubscriptions;
  readonly pusher: Pusher;
  /** The capability with which a /get tells how the last pushes went. */
  readonly capability: string;
  /** The types whose changes may be pushed. */
  readonly typeNames: ReadonlySet<string>;
  /** Returns what is wrong with the form of a URL, as the end of a sentence; null if nothing is. */
  judgeUrl(url: string): string | null;
  /** Resolves to whether pushes may go to where a URL leads. It looks the name up. */
  leadsOutside(url: string): Promise<boolean>;
  /** Returns the keys as they are stored, or what is wrong with them, as the end of a sentence. */
  judgeKeys(keys: JsonObject): PushKeys | string;
}
