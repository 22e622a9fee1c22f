import type { Connection } from '../call/connection.js';
import { openPush } from '../transport/open-push.js';
import type { Push } from '../transport/push.js';

/** A server that has it tells the present states at the begin of each connection. */
const PUSH = 'urn:jmapsmith:push';

/** Copies of accounts that follow what the server tells. */
export interface Followers {
  /** Returns the state that the copy of a type has; undefined where there is no copy. */
  cursor(accountId: string, type: string): string | null | undefined;
  /** Is told that types of an account have changed; without them, that anything may have. */
  wake(accountId?: string, types?: readonly string[]): void;
  /** Is told whether the server tells of changes at present. */
  setPushed(isPushed: boolean): void;
}

/**
 * Opens push, and wakes the accounts whose copies have other states than the server. The first
 * states that it tells are the present ones, so a copy needs no cycle to learn that it is current.
 */
export function followPush(connection: Connection, followers: Followers): Push {
  const push = openPush(connection, {
    onState(changed) {
      for (const [accountId, states] of Object.entries(changed)) {
        const types = Object.keys(states).filter((type) => {
          const cursor = followers.cursor(accountId, type);
          return cursor !== undefined && cursor !== states[type];
        });
        if (types.length > 0) followers.wake(accountId, types);
      }
    },
    onStatus({ state }) {
      followers.setPushed(state === 'live');
      // Other servers tell nothing of what has changed while there was no connection.
      const isSilent = !(PUSH in connection.keeper.current().capabilities);
      if (state === 'live' && isSilent) followers.wake();
    },
  });
  // A server that refuses push may have it in another session.
  connection.keeper.listen(() => push.retry());
  return push;
}
