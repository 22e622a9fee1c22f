import type { Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { accountHas } from '../protocol/session.js';
import type { StateChange, Store } from '../store/port.js';

/** RFC 8620 7.1: account id to type name to state. */
export type ChangedStates = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Hands the commits of a store to the connections that may see them. */
export class Feed {
  readonly #dataTypes: ReadonlyMap<string, DataTypeDefinition>;
  readonly #byAccount = new Map<string, Set<Subscription>>();
  /** Ends the feed. */
  readonly close: () => void;

  constructor(store: Pick<Store, 'onCommit'>, dataTypes: ReadonlyMap<string, DataTypeDefinition>) {
    this.#dataTypes = dataTypes;
    this.close = store.onCommit((change) => {
      const subscriptions = this.#byAccount.get(change.accountId) ?? [];
      for (const subscription of subscriptions) subscription.add(change);
    });
  }

  /**
   * Subscribes to data types; null is all. `wake` runs once when there is something new to
   * `collect`, in a turn of its own, so that commits of one turn are gathered.
   */
  subscribe(
    principal: Principal,
    types: ReadonlySet<string> | null,
    wake: () => void,
  ): Subscription {
    const served = [...this.#dataTypes].filter(([name]) => types?.has(name) !== false);
    const subscription = new Subscription(this.#byAccount, new Map(served), wake);
    subscription.setPrincipal(principal);
    return subscription;
  }
}

/** The news that a connection waits for: each type's newest state alone, to bound the memory. */
export class Subscription {
  readonly #byAccount: Map<string, Set<Subscription>>;
  readonly #types: ReadonlyMap<string, DataTypeDefinition>;
  readonly #wake: () => void;
  #principal: Principal | null = null;
  #pending = new Map<string, Map<string, string>>();
  #woken = false;

  /** `types`: those that it tells of. */
  constructor(
    byAccount: Map<string, Set<Subscription>>,
    types: ReadonlyMap<string, DataTypeDefinition>,
    wake: () => void,
  ) {
    this.#byAccount = byAccount;
    this.#types = types;
    this.#wake = wake;
  }

  /** The token reaches other accounts now: those that it lost fall silent. */
  setPrincipal(principal: Principal): void {
    for (const id of this.#principal?.accounts.keys() ?? []) {
      if (!principal.accounts.has(id)) this.#leave(id);
    }
    for (const id of principal.accounts.keys()) {
      const subscriptions = this.#byAccount.get(id);
      if (subscriptions === undefined) this.#byAccount.set(id, new Set([this]));
      else subscriptions.add(this);
    }
    this.#principal = principal;
  }

  add(change: StateChange): void {
    const account = this.#principal?.accounts.get(change.accountId);
    if (account === undefined) return;
    for (const [name, state] of Object.entries(change.changed)) {
      const type = this.#types.get(name);
      if (type === undefined || !accountHas(account, type.capability)) continue;
      const states = this.#pending.get(change.accountId);
      if (states === undefined) this.#pending.set(change.accountId, new Map([[name, state]]));
      else states.set(name, state);
    }
    if (this.#pending.size === 0 || this.#woken) return;
    this.#woken = true;
    setImmediate(() => {
      this.#woken = false;
      if (this.#principal !== null && this.#pending.size > 0) this.#wake();
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
    const subscriptions = this.#byAccount.get(accountId);
    subscriptions?.delete(this);
    if (subscriptions?.size === 0) this.#byAccount.delete(accountId);
  }
}
