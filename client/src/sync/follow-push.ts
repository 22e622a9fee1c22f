import type { Connection } from '../call/connection.js';
import { PUSH } from '../transport/event-source.js';
import { openPush } from '../transport/open-push.js';
import type { ChangedStates, Push } from '../transport/push.js';

/** Copies of accounts that follow what the server tells. */
export interface Followers {
  /**
   * Is told states of the server. The first ones are the present ones, so a copy needs no cycle to
   * learn that it is current. Null: any may have changed.
   */
  take(changed: ChangedStates | null): void;
  /** Is told whether the server tells of changes at present. */
  setPushed(isPushed: boolean): void;
}

/** Opens push. */
export function followPush(connection: Connection, followers: Followers): Push {
  const push = openPush(connection, {
    onState(changed) {
      // Throws where the server has told something else: the connection is then made anew.
      for (const states of Object.values(changed)) Object.keys(states);
      followers.take(changed);
    },
    onStatus({ state }) {
      followers.setPushed(state === 'live');
      // Other servers tell nothing of what has changed while there was no connection.
      const isSilent = !(PUSH in connection.keeper.current().capabilities);
      if (state === 'live' && isSilent) followers.take(null);
    },
  });
  // A server that refuses push may have it in another session.
  const leave = connection.keeper.listen(() => push.retry());
  return {
    retry: () => push.retry(),
    close() {
      leave();
      push.close();
    },
  };
}
