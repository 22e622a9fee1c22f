import { stateViewIn, type ViewRules } from '../access/views.js';
import type { Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { StateChange, Store } from '../store/port.js';
import { States } from './account-states.js';
import { Audience, type ReceiverKind, type Replay, type ViewSource } from './audience.js';
import { Channel, type ChannelListener } from './channel.js';
import { HeldStates } from './held-states.js';
import type { Hints, Hub } from './hub/hub.js';
import { Vectors } from './vector.js';
import { type ReadNumbers, ViewReads } from './view-reads.js';
import { Wakes } from './wakes.js';

/** Follows what a token reaches, until the result is called; null: it may do nothing any more. */
export interface FollowedTokens {
  follow(principal: Principal, listener: (current: Principal | null) => void): () => void;
  /** Resolves when all that are followed were told what they reach now. */
  lookNow(): Promise<void>;
}

export interface PushOptions {
  readonly store: Pick<Store, 'onCommit' | 'readStates' | 'read'>;
  /** All data types that are served. */
  readonly types: ReadonlyMap<string, DataTypeDefinition>;
  /** Names of types whose states change with most commits: they are held back. */
  readonly held?: ReadonlySet<string>;
  readonly viewRules: ViewRules;
  readonly live: FollowedTokens;
  /** Resolves to the epoch of the database's states: another one after a restore. */
  readonly readEpoch: () => Promise<string>;
  /** Other processes of the same database. */
  readonly hub: Hub;
  readonly onError: (error: unknown) => void;
}

/** The wishes of a receiver. */
export interface ChannelRequest {
  readonly kind: ReceiverKind;
  readonly principal: Principal;
  /** Names of data types; null is all. */
  readonly types: ReadonlySet<string> | null;
  /** The id of what the receiver was told before; null where it wants nothing of the past. */
  readonly lastId: string | null;
}

const NONE: ReadonlySet<string> = new Set<string>();
/** How long the views of an account may take to be read, ms. */
const READ_TIME = 30_000;

/** An audience, and what ends its following of the token. */
interface Followed {
  readonly audience: Audience;
  readonly unfollow: () => void;
}

/**
 * Tells receivers of state changes (RFC 8620 7). Commits and hints of other processes are only
 * reasons to look: a receiver is told how the present states differ from what it was told.
 */
export class Push {
  /** Receivers that came back, by how much they had to be told. */
  readonly replays: Record<Replay, number> = { none: 0, part: 0, all: 0 };
  /** Channels that are open. */
  readonly receivers: Record<ReceiverKind, number> = {
    ...{ eventsource: 0, websocket: 0, subscription: 0 },
  };
  readonly #options: PushOptions;
  readonly #states: States;
  readonly #wakes = new Wakes();
  readonly #viewReads = new ViewReads((...asked) => this.#readNumbers(...asked));
  readonly #held: HeldStates;
  readonly #typeNames: readonly string[];
  /** By token and types. */
  readonly #audiences = new Map<string, Followed>();
  readonly #stopListening: () => void;
  #vectors: Vectors | null = null;
  #epoch = '';

  constructor(options: PushOptions) {
    const { store, types, hub, onError, held = NONE } = options;
    this.#options = options;
    this.#typeNames = [...types.keys()];
    this.#states = new States({
      read: (ids) => store.readStates(ids),
      beforeComparison: () => this.#readEpoch(),
      lookAtAccess: () => options.live.lookNow(),
      onError,
    });
    this.#held = new HeldStates(held, (id, numbers) => this.#states.raise(id, numbers));
    this.#stopListening = store.onCommit((change) => {
      this.#commit(change);
      hub.publish(change);
    });
  }

  /**
   * Opens a channel. It listens from before the present states are read, so it misses no change.
   * Rejects with UnavailableError where they can't be read.
   */
  async open(request: ChannelRequest, listener: ChannelListener): Promise<Channel> {
    const { kind, principal, types, lastId } = request;
    const wanted = [...this.#options.types.values()].filter(({ name }) => types?.has(name) ?? true);
    const key = JSON.stringify([principal.credential.id, wanted.map(({ name }) => name)]);
    const { audience } = this.#audiences.get(key) ?? this.#begin(key, principal, wanted);
    const channel = new Channel(kind, audience, listener);
    this.receivers[kind] += 1;
    try {
      if (this.#vectors === null) await this.#readEpoch();
      // Another process may have pushed later states to a subscription than it has stored.
      if (lastId !== null && kind === 'subscription') {
        await audience.readAgain();
      } else {
        await audience.ready();
        if (lastId !== null) await audience.catchUp(lastId);
      }
    } catch (error) {
      channel.close();
      throw error;
    }
    channel.begin(lastId);
    return channel;
  }

  /** Takes what other processes say. */
  hint(hints: Hints): void {
    for (const [accountId, numbers] of hints) {
      // A hint may name anything: other names would stay in memory.
      const known = numbers && [...numbers].filter(([type]) => this.#options.types.has(type));
      const told = known && this.#held.take(accountId, new Map(known));
      if (told === null || told.size > 0) this.#states.hint(accountId, told);
    }
  }

  /** Compares what all receivers were told with the database: changes may have been missed. */
  async compare(): Promise<void> {
    await this.#states.compare();
  }

  close(): void {
    this.#stopListening();
    for (const { audience, unfollow } of this.#audiences.values()) {
      unfollow();
      audience.close();
    }
    this.#audiences.clear();
    this.#viewReads.close();
    this.#held.close();
    this.#states.close();
  }

  #commit({ accountId, changed, urgent }: StateChange): void {
    if (!this.#states.has(accountId)) return;
    const numbers = Object.entries(changed).map(([type, state]) => [type, Number(state)] as const);
    this.#states.raise(accountId, this.#held.take(accountId, new Map(numbers), urgent));
  }

  #begin(key: string, principal: Principal, types: readonly DataTypeDefinition[]): Followed {
    const audience = new Audience({
      states: this.#states,
      types,
      vectors: () => this.#requireVectors(),
      countReplay: (replay) => {
        this.replays[replay] += 1;
      },
      views: this.#views(),
      wake: (woken) => this.#wakes.add(woken),
      left: ({ kind }) => {
        this.receivers[kind] -= 1;
        if (audience.receivers.size > 0) return;
        this.#forget(key, audience);
        unfollow();
        audience.close();
      },
    });
    audience.setPrincipal(principal);
    const unfollow = this.#options.live.follow(principal, (current) => {
      if (current !== null) {
        audience.setPrincipal(current);
        return;
      }
      // One that opens now, whose token was looked at before, follows the token anew.
      this.#forget(key, audience);
      for (const channel of [...audience.receivers]) channel.end();
    });
    const followed = { audience, unfollow };
    this.#audiences.set(key, followed);
    return followed;
  }

  #views(): ViewSource {
    const { viewRules, onError } = this.#options;
    return {
      viewOf: (account, principal, type) => stateViewIn(account, principal, type, viewRules),
      reads: this.#viewReads,
      onError,
    };
  }

  async #readNumbers(
    accountId: string,
    views: Parameters<ReadNumbers>[1],
  ): Promise<readonly number[]> {
    const { store, types } = this.#options;
    const deadline = performance.now() + READ_TIME;
    return store.read(accountId, { deadline }, async (snapshot) => {
      const numbers: number[] = [];
      for (const { name, view } of views) {
        const type = types.get(name);
        numbers.push(type === undefined ? 0 : await snapshot.viewNumber(type, view));
      }
      return numbers;
    });
  }

  #forget(key: string, audience: Audience): void {
    if (this.#audiences.get(key)?.audience === audience) this.#audiences.delete(key);
  }

  async #readEpoch(): Promise<void> {
    const epoch = await this.#options.readEpoch();
    if (this.#vectors !== null && epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#vectors = new Vectors(epoch, this.#typeNames);
  }

  #requireVectors(): Vectors {
    if (this.#vectors === null) throw new Error('The epoch of states was not read.');
    return this.#vectors;
  }
}
