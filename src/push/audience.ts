import type { Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { findTypeMode } from '../protocol/access-modes.js';
import { accountHas } from '../protocol/session.js';
import type { AccountListener, AccountStates, States } from './account-states.js';
import { type AccountVector, allNumbers, type ChangedNumbers, type Vectors } from './vector.js';

/** The states that have changed, as text: all receivers of an audience that need it share one. */
export interface News {
  /** The `changed` of a StateChange (RFC 8620 7.1), JSON. */
  readonly changed: string;
  /** Stands for all states that the receiver has been told by then. */
  readonly id: string;
}

/** How much of the present states a receiver that came back had to be told. */
export type Replay = 'none' | 'part' | 'all';

/** How a receiver is told of changes. */
export type ReceiverKind = 'eventsource' | 'websocket' | 'subscription';

/** A channel, as its audience sees it. */
export interface Receiver {
  readonly kind: ReceiverKind;
  /** There may be news to take. */
  wake(): void;
  /** The token may do nothing any more. */
  end(): void;
}

export interface AudienceOptions {
  readonly states: States;
  /** Types that the receivers want, of all that are served. */
  readonly types: readonly DataTypeDefinition[];
  readonly vectors: () => Vectors;
  readonly countReplay: (replay: Replay) => void;
  /** Wakes the receivers of the audience, in a turn of its own. */
  readonly wake: (audience: Audience) => void;
  readonly left: (receiver: Receiver) => void;
}

/** An account in reach, with the types that receivers may see of it. */
interface Seat {
  readonly account: AccountStates;
  readonly types: readonly string[];
  /** The stamp from which on the audience has it. */
  readonly joined: number;
}

/** All receivers that see the same: those of one token that want the same types. */
export class Audience implements AccountListener {
  readonly #receivers = new Set<Receiver>();
  readonly #options: AudienceOptions;
  #principal: Principal | null = null;
  /** By account id. */
  #seats = new Map<string, Seat>();
  readonly #wanted: ReadonlySet<string>;
  /** The last change that the receivers see. */
  #stamp = 0;
  /** Since which stamp to the news; and the id of the present states. */
  readonly #news = new Map<number, News | null>();
  #id: { readonly vectors: Vectors; readonly text: string } | null = null;

  constructor(options: AudienceOptions) {
    this.#options = options;
    this.#wanted = new Set(options.types.map(({ name }) => name));
  }

  get receivers(): ReadonlySet<Receiver> {
    return this.#receivers;
  }

  get stamp(): number {
    return this.#stamp;
  }

  join(receiver: Receiver): void {
    this.#receivers.add(receiver);
  }

  leave(receiver: Receiver): void {
    if (this.#receivers.delete(receiver)) this.#options.left(receiver);
  }

  /** Resolves when the states of all accounts are known. Rejects where they can't be read. */
  async ready(): Promise<void> {
    const { states } = this.#options;
    await Promise.all(Array.from(this.#seats.keys(), (id) => states.loaded(id)));
  }

  /**
   * Resolves when all is known that an id tells. Another process may have told it of a commit that
   * this one has yet to hear of: the receiver would be told an earlier state. Rejects as `ready`.
   */
  async catchUp(lastId: string): Promise<void> {
    const { states, vectors } = this.#options;
    const behind = vectors().ahead(lastId, this.#accounts());
    await Promise.all(behind.map((id) => states.readAgain(id)));
  }

  /** Resolves when the states of all accounts were read once more. Rejects as `ready`. */
  async readAgain(): Promise<void> {
    const { states } = this.#options;
    await Promise.all(Array.from(this.#seats.keys(), (id) => states.readAgain(id)));
  }

  /** Takes the accounts that the token reaches now. Accounts that are new to it are news. */
  setPrincipal(principal: Principal): void {
    if (principal === this.#principal) return;
    this.#principal = principal;
    const { states, types } = this.#options;
    const before = this.#seats;
    const joined = states.tick();
    this.#seats = new Map();
    for (const [id, access] of principal.accounts) {
      const seen = types.filter(
        (type) => accountHas(access, type.capability) && findTypeMode(principal, type) !== null,
      );
      const old = before.get(id);
      const names = seen.map(({ name }) => name);
      const isSame = old?.types.join() === names.join();
      const account = old?.account ?? states.listen(id, this);
      const since = isSame ? (old?.joined ?? joined) : joined;
      this.#seats.set(id, { account, types: names, joined: since });
    }
    for (const [id, { account }] of before) if (!this.#seats.has(id)) states.leave(account, this);
    this.#changedAt(joined);
  }

  changed(types: Iterable<string>, stamp: number): void {
    for (const type of types) {
      if (!this.#wanted.has(type)) continue;
      this.#changedAt(stamp);
      return;
    }
  }

  /** Returns what came after `stamp`; null where nothing of it is in sight. */
  newsSince(stamp: number): News | null {
    if (stamp >= this.#stamp) return null;
    let news = this.#news.get(stamp);
    if (news === undefined) {
      const changed = this.#changedSince(stamp);
      news = changed.size === 0 ? null : this.#newsOf(changed);
      this.#news.set(stamp, news);
    }
    return news;
  }

  /** Returns the news for a receiver that has `lastId`; null where it knows all. */
  newsAfter(lastId: string): News | null {
    const accounts = this.#accounts();
    const difference = this.#options.vectors().difference(lastId, accounts);
    const changed = difference ?? allNumbers(accounts);
    this.#options.countReplay(difference === null ? 'all' : changed.size === 0 ? 'none' : 'part');
    return changed.size === 0 ? null : this.#newsOf(changed);
  }

  /** Returns the text that stands for all present states. */
  id(): string {
    const vectors = this.#options.vectors();
    if (this.#id?.vectors !== vectors)
      this.#id = { vectors, text: vectors.encode(this.#accounts()) };
    return this.#id.text;
  }

  close(): void {
    for (const { account } of this.#seats.values()) this.#options.states.leave(account, this);
    this.#seats.clear();
  }

  #newsOf(changed: ChangedNumbers): News {
    const entries = Array.from(changed, ([id, numbers]) => {
      const states = Array.from(numbers, ([type, number]) => [type, String(number)]);
      return [id, Object.fromEntries(states)];
    });
    return Object.freeze({ changed: JSON.stringify(Object.fromEntries(entries)), id: this.id() });
  }

  #changedAt(stamp: number): void {
    this.#stamp = stamp;
    this.#news.clear();
    this.#id = null;
    if (this.receivers.size > 0) this.#options.wake(this);
  }

  #accounts(): readonly AccountVector[] {
    return Array.from(this.#seats.values(), ({ account, types }) => ({
      id: account.id,
      key: account.key,
      states: types.map((type) => [type, account.numberOf(type)] as const),
    }));
  }

  #changedSince(stamp: number): ChangedNumbers {
    const changed: ChangedNumbers = new Map();
    for (const [id, { account, types, joined }] of this.#seats) {
      const numbers = new Map<string, number>();
      for (const type of types) {
        const known = account.stampOf(type);
        const isNew = known > stamp || (joined > stamp && known > 0);
        if (isNew) numbers.set(type, account.numberOf(type));
      }
      if (numbers.size > 0) changed.set(id, numbers);
    }
    return changed;
  }
}
