import type { Connection } from '../call/connection.js';
import { type Followers, followPush } from '../sync/follow-push.js';
import type { Push } from '../transport/push.js';
import type { Peers } from './peers.js';

/** The connection by which the server tells of changes: one tab has it, and tells the others. */
export class SharedPush {
  readonly #connection: Connection;
  readonly #peers: Peers;
  readonly #followers: Followers;
  /** Null: another tab has the connection. */
  #push: Push | null = null;
  #isLive = false;

  constructor(connection: Connection, peers: Peers, followers: Followers) {
    this.#connection = connection;
    this.#peers = peers;
    this.#followers = followers;
  }

  /** Has the connection as soon as no other tab has it. */
  lead(): void {
    void this.#peers.lead(
      (signal) =>
        new Promise((resolve) => {
          const push = this.#open();
          signal.addEventListener('abort', () => {
            push.close();
            this.#push = null;
            resolve();
          });
        }),
    );
    this.#peers.announce('hello', null);
  }

  /** Tells a tab that asks for others whether the server tells of changes. */
  greet(): void {
    if (this.#push !== null) this.#peers.announce('push', this.#isLive);
    else this.#peers.announce('here', null);
  }

  /** The server may be there again: whichever tab has the connection tries at once. */
  retry(): void {
    if (this.#push === null) this.#peers.announce('retry', null);
    else this.#push.retry();
  }

  retryOwn(): void {
    this.#push?.retry();
  }

  #open(): Push {
    const { take, setPushed } = this.#followers;
    this.#push = followPush(this.#connection, {
      take: (changed) => {
        take(changed);
        this.#peers.announce('states', changed);
      },
      setPushed: (isPushed) => {
        this.#isLive = isPushed;
        setPushed(isPushed);
        this.#peers.announce('push', isPushed);
      },
    });
    return this.#push;
  }
}
