import type { Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { accountHas } from '../protocol/session.js';
import type { StateChange, Store } from '../store/port.js';

/** RFC 8620 7.1: account id to type name to state. */
export type ChangedStates = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface Subscription {
  /** The token reaches other accounts now: those that it lost fall silent. */
  setPrincipal(principal: Principal): void;
  end(): void;
}

/** Hands committed changes to the connections that may see them. */
export interface Feed {
  /**
   * `types` are names of data types, null is all. `wake` is called once when there is something new to `collect`,
   * in a turn of its own, so that commits of one turn are gathered.
   */
  subscribe(options: {
    readonly principal: Principal;
    readonly types: ReadonlySet<string> | null;
    readonly wake: () => void;
  }): Subscription & { collect(): ChangedStates | null };
  close(): void;
}

/** Follows a store's commits. Each subscription keeps the newest state of each type alone: memory is bounded. */
export function createFeed(
  store: Pick<Store, 'onCommit'>,
  dataTypes: ReadonlyMap<string, DataTypeDefinition>,
): Feed {
  const byAccount = new Map<string, Set<Subscriber>>();
  const unsubscribe = store.onCommit((change) => {
    const subscribers = byAccount.get(change.accountId);
    if (subscribers === undefined) return;
    for (const subscriber of subscribers) subscriber.add(change);
  });
  return {
    subscribe({ principal, types, wake }) {
      const subscriber = new Subscriber({ byAccount, dataTypes, types, wake });
      subscriber.setPrincipal(principal);
      return subscriber;
    },
    close() {
      unsubscribe();
      byAccount.clear();
    },
  };
}

interface SubscriberOptions {
  readonly byAccount: Map<string, Set<Subscriber>>;
  readonly dataTypes: ReadonlyMap<string, DataTypeDefinition>;
  readonly types: ReadonlySet<string> | null;
  readonly wake: () => void;
}

class Subscriber {
  readonly #options: SubscriberOptions;
  #principal: Principal | null = null;
  #pending = new Map<string, Map<string, string>>();
  #woken = false;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  setPrincipal(principal: Principal): void {
    const { byAccount } = this.#options;
    for (const id of this.#principal?.accounts.keys() ?? []) {
      if (!principal.accounts.has(id)) this.#leave(id);
    }
    for (const id of principal.accounts.keys()) {
      const subscribers = byAccount.get(id);
      if (subscribers === undefined) byAccount.set(id, new Set([this]));
      else subscribers.add(this);
    }
    this.#principal = principal;
  }

  add(change: StateChange): void {
    const account = this.#principal?.accounts.get(change.accountId);
    if (account === undefined) return;
    for (const [name, state] of Object.entries(change.changed)) {
      const type = this.#options.dataTypes.get(name);
      if (type === undefined || this.#options.types?.has(name) === false) continue;
      if (!accountHas(account, type.capability)) continue;
      const states = this.#pending.get(change.accountId);
      if (states === undefined) this.#pending.set(change.accountId, new Map([[name, state]]));
      else states.set(name, state);
    }
    if (this.#pending.size === 0 || this.#woken) return;
    this.#woken = true;
    setImmediate(() => {
      this.#woken = false;
      if (this.#principal !== null && this.#pending.size > 0) this.#options.wake();
    });
  }

  collect(): ChangedStates | null {
    if (this.#pending.size === 0) return null;
    const collected = this.#pending;
    this.#pending = new Map();
    return collected;
  }

  end(): void {
    for (const id of this.#principal?.accounts.keys() ?? []) this.#leave(id);
    this.#principal = null;
    this.#pending.clear();
  }

  #leave(accountId: string): void {
    this.#pending.delete(accountId);
    const subscribers = this.#options.byAccount.get(accountId);
    subscribers?.delete(this);
    if (subscribers?.size === 0) this.#options.byAccount.delete(accountId);
  }
}
