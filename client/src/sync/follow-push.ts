import type { Connection } from '../call/connection.js';
import { openPush } from '../transport/open-push.js';
import type { Push } from '../transport/push.js';

/** A server that has it tells the present states at the begin of each connection. */
const PUSH = 'urn:jmapsmith:push';

/** Copies of accounts that follow what the server tells. */
export interface Followers {
  /** Returns the state that the copy of a type has; undefined where there is no copy. */
  cursor(accountId: string, type: string): string | null | undefined;
  /** Is told that an account has changed; without one, that any may have. */
  wake(accountId?: string): void;
  /** Is told whether the server tells of changes at present. */
  setPushed(isPushed: boolean): void;
}

/**
 * Opens push, and wakes the accounts whose copies have other states than the server. The first
 * states that it tells are the present ones, so a copy needs no cycle to learn that it is current.
 */
export function followPush(connection: Connection, followers: Followers): Push {
  return openPush(connection, {
    onState(changed) {
      for (const [accountId, states] of Object.entries(changed)) {
        const isNews = Object.entries(states).some(([type, state]) => {
          const cursor = followers.cursor(accountId, type);
          return cursor !== undefined && cursor !== state;
        });
        if (isNews) followers.wake(accountId);
      }
    },
    onStatus({ state }) {
      followers.setPushed(state === 'live');
      // Other servers tell nothing of what has changed while there was no connection.
      const isSilent = !(PUSH in connection.keeper.current().capabilities);
      if (state === 'live' && isSilent) followers.wake();
    },
  });
}
