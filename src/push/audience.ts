import { formatViewState, identityOf } from '../access/views.js';
import type { AccountAccess, Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { findTypeMode } from '../protocol/access-modes.js';
import { accountHas } from '../protocol/session.js';
import type { View } from '../store/port.js';
import type { AccountListener, AccountStates, States } from './account-states.js';
import {
  type AccountVector,
  accountKey,
  allNumbers,
  type ChangedNumbers,
  type Vectors,
} from './vector.js';
import type { ViewReads, Views } from './view-reads.js';
import { ViewStates } from './view-states.js';

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
  readonly views: ViewSource;
  /** Wakes the receivers of the audience, in a turn of its own. */
  readonly wake: (audience: Audience) => void;
  readonly left: (receiver: Receiver) => void;
}

/** Knows what users see of types with access rules. */
export interface ViewSource {
  /** Returns null where the user sees all of the type. */
  viewOf(account: AccountAccess, principal: Principal, type: DataTypeDefinition): View | null;
  readonly reads: ViewReads;
  readonly onError: (error: unknown) => void;
}

/** An account in reach, with the types that receivers may see of it. */
interface Seat {
  readonly account: AccountStates;
  /** The account's states as the user sees them. */
  readonly seen: Pick<AccountStates, 'numberOf' | 'stampOf'>;
  /** Set where the user sees a part of some types; it hears of the account's changes then. */
  readonly part: ViewStates | null;
  readonly views: Views;
  /** Names what the user sees, as vectors do. */
  readonly key: string;
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
    let seats: ReadonlyMap<string, Seat>;
    do {
      seats = this.#seats;
      await Promise.all(Array.from(seats.keys(), (id) => states.loaded(id)));
      await Promise.all(Array.from(seats.values(), ({ part }) => part?.loaded()));
      // Others may have taken their places meanwhile.
    } while (seats !== this.#seats);
  }

  /**
   * Resolves when all is known that an id tells. Another process may have told it of a commit that
   * this one has yet to hear of: the receiver would be told an earlier state. Rejects as `ready`.
   */
  async catchUp(lastId: string): Promise<void> {
    const { vectors } = this.#options;
    const behind = vectors().ahead(lastId, this.#accounts());
    await Promise.all(behind.map((id) => this.#readSeat(id)));
  }

  /** Resolves when the states of all accounts were read once more. Rejects as `ready`. */
  async readAgain(): Promise<void> {
    await Promise.all(Array.from(this.#seats.keys(), (id) => this.#readSeat(id)));
  }

  async #readSeat(id: string): Promise<void> {
    await this.#options.states.readAgain(id);
    await this.#seats.get(id)?.part?.read();
  }

  /** Takes the accounts that the token reaches now. Accounts that are new to it are news. */
  setPrincipal(principal: Principal): void {
    if (principal === this.#principal) return;
    const isMoved = String(principal.groupIds) !== String(this.#principal?.groupIds);
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
      const views = this.#viewsIn(access, principal, seen);
      const key = keyOf(id, views);
      const isSame = old?.key === key && old.types.join() === names.join();
      // By a group the user sees other objects, and no hint may have told of it.
      if (isSame && isMoved) old.part?.read().catch(this.#options.views.onError);
      const seat = isSame ? old : { ...this.#sit(id, views), key, types: names, joined };
      this.#seats.set(id, seat);
    }
    for (const [id, seat] of before) this.#rise(seat, this.#seats.get(id));
    this.#changedAt(joined);
  }

  #viewsIn(
    account: AccountAccess,
    principal: Principal,
    types: readonly DataTypeDefinition[],
  ): Views {
    const { views } = this.#options;
    const found = types.map((type) => [type.name, views.viewOf(account, principal, type)] as const);
    return new Map(found.flatMap(([name, view]) => (view === null ? [] : [[name, view]])));
  }

  #sit(id: string, views: Views): Pick<Seat, 'account' | 'seen' | 'part' | 'views'> {
    const { states, views: source } = this.#options;
    const account = states.listen(id, this);
    if (views.size === 0) return { account, seen: account, part: null, views };
    const { reads, onError } = source;
    const part = new ViewStates({ account, views, reads, onError, clock: states, listener: this });
    account.listeners.add(part);
    account.listeners.delete(this);
    part.read().catch(onError);
    return { account, seen: part, part, views };
  }

  /** `next`: the seat that takes its place. */
  #rise(seat: Seat, next?: Seat): void {
    const listener = seat.part ?? this;
    if (next !== undefined && (next.part ?? this) === listener) return;
    seat.part?.close();
    this.#options.states.leave(seat.account, listener);
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
    for (const seat of this.#seats.values()) this.#rise(seat);
    this.#seats.clear();
  }

  #newsOf(changed: ChangedNumbers): News {
    const entries = Array.from(changed, ([id, numbers]) => {
      const views = this.#seats.get(id)?.views;
      const states = Array.from(numbers, ([type, number]) => {
        const view = views?.get(type);
        return [type, view === undefined ? String(number) : formatViewState({ number }, view)];
      });
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
    return Array.from(this.#seats.values(), ({ account, seen, key, types }) => ({
      id: account.id,
      key,
      states: types.map((type) => [type, seen.numberOf(type)] as const),
    }));
  }

  #changedSince(stamp: number): ChangedNumbers {
    const changed: ChangedNumbers = new Map();
    for (const [id, { seen, types, joined }] of this.#seats) {
      const numbers = new Map<string, number>();
      for (const type of types) {
        const known = seen.stampOf(type);
        const isNew = known > stamp || (joined > stamp && known > 0);
        if (isNew) numbers.set(type, seen.numberOf(type));
      }
      if (numbers.size > 0) changed.set(id, numbers);
    }
    return changed;
  }
}

/** Returns the key of an account: another one where the user has other scopes. */
function keyOf(id: string, views: Views): string {
  const identities = new Set(Array.from(views.values(), identityOf));
  return accountKey([id, ...identities].join(' '));
}
