import type { BlobChange, OpenStore, Change as RowChange } from '../persist/port.js';

/** Why a client writes nothing more to its store. */
export type Loss =
  /** The data can't be reached: the client goes on in memory. */
  | 'lost'
  /** Another client has the data: this one has to end. */
  | 'fenced';

type Written = RowChange | BlobChange;

/** Tables that a store without room still gets; objects and the session are at the server, too. */
const NEEDED: ReadonlySet<Written['table']> = new Set(['log', 'aliases', 'meta']);

/** A store without room can do without these, in this order. */
const DISPENSABLE = ['objects', 'files'] as const;
export type Dispensable = (typeof DISPENSABLE)[number];

/** The time in which one client alone changes what a store has. */
export interface Turn {
  readonly epoch: number;
  /** Another client has the turn by now: nothing counts that this one commits in it. */
  isFenced: boolean;
}

/** Changes that are written together, and who waits for them. */
interface Batch {
  /** Null: they need no turn. */
  readonly turn: Turn | null;
  readonly rows: Map<string, Written>;
  readonly done: Promise<boolean>;
  readonly end: (isDurable: boolean) => void;
}

/**
 * Writes changes to a store in their order, each one whole. Changes that come while others are
 * being written are one transaction together. Where the store has no room, and none can be made, it
 * gets writes and what belongs to them alone from then on.
 */
export class StoreWriter {
  readonly #store: OpenStore;
  /** The one turn of a client that has the store alone; null: tabs have turns. */
  #turn: Turn | null;
  readonly #onLoss: (loss: Loss) => void;
  readonly #makeRoom: (what: Dispensable) => Promise<void>;
  readonly #batches: Batch[] = [];
  readonly #unsaved = new Map<string, Written>();
  #running: Promise<void> | null = null;
  #loss: Loss | null = null;
  #isFull = false;

  /**
   * Without an epoch, tabs share the store. `makeRoom` removes from a full store what nobody needs.
   */
  constructor(
    store: OpenStore,
    epoch: number | null,
    onLoss: (loss: Loss) => void,
    makeRoom: (what: Dispensable) => Promise<void> = async () => undefined,
  ) {
    this.#store = store;
    this.#turn = epoch === null ? null : { epoch, isFenced: false };
    this.#onLoss = onLoss;
    this.#makeRoom = makeRoom;
  }

  get loss(): Loss | null {
    return this.#loss;
  }

  /** The store has no room: it gets neither objects nor files any more. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Null: tabs have turns. */
  get epoch(): number | null {
    return this.#turn?.epoch ?? null;
  }

  noteFull(): void {
    this.#isFull = true;
  }

  get isShared(): boolean {
    return this.#turn === null;
  }

  /** The last changes of rows that a lost store hasn't got. */
  get unsaved(): readonly RowChange[] {
    return [...this.#unsaved.values()].filter(isRow);
  }

  /** Returns whether a lost store has yet to get a change of a row. */
  lacks(row: Written): boolean {
    return this.#unsaved.has(nameOf(row));
  }

  /** Another tab has changed these rows since they were lost. */
  forget(rows: readonly RowChange[]): void {
    for (const row of rows) this.#unsaved.delete(nameOf(row));
  }

  /** Notes that nothing more can be written. */
  lose(loss: Loss): void {
    if (this.#loss === loss || this.#loss === 'fenced') return;
    this.#loss = loss;
    for (const { rows, end } of this.#batches.splice(0)) {
      this.#keep([...rows.values()]);
      end(false);
    }
    this.#onLoss(loss);
  }

  /**
   * Goes on with the store, which has these changes of the unsaved ones by now. Writes the others,
   * and resolves to them once they are durable. A client that has the store alone has an epoch.
   */
  async resume(saved: readonly RowChange[], epoch: number | null): Promise<readonly RowChange[]> {
    this.forget(saved.filter((row) => this.#unsaved.get(nameOf(row)) === row));
    if (epoch !== null) this.#turn = { epoch, isFenced: false };
    this.#loss = null;
    const rest = [...this.#unsaved.values()];
    this.#unsaved.clear();
    return (await this.write(rest)) ? rest.filter(isRow) : [];
  }

  #keep(changes: readonly Written[], areOlder = false): void {
    for (const change of changes)
      if (isKept(change) && !(areOlder && this.lacks(change)))
        this.#unsaved.set(nameOf(change), change);
  }

  /** Resolves to true once the changes are durable, to false where they never will be. */
  write(changes: readonly Written[], turn = this.#turn): Promise<boolean> {
    if (this.#loss !== null) {
      this.#keep(changes);
      return Promise.resolve(false);
    }
    const last = this.#batches.at(-1);
    const batch = last?.turn === turn ? last : makeBatch(turn);
    if (batch !== last) this.#batches.push(batch);
    for (const change of changes) batch.rows.set(nameOf(change), change);
    this.#running ??= this.#run();
    return batch.done;
  }

  /** Resolves when nothing is being written. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift())
      batch.end(await this.#commit([...batch.rows.values()], batch.turn));
    this.#running = null;
  }

  async #commit(
    changes: readonly Written[],
    turn: Turn | null,
    [what, ...rest]: readonly Dispensable[] = DISPENSABLE,
  ): Promise<boolean> {
    // Objects and the state that they have reached stay as they were, so they still go together.
    const rows = this.#isFull ? changes.filter(isNeeded) : changes;
    try {
      await this.#store.commit(rows, { ...(turn && { epoch: turn.epoch }), durable: true });
      return true;
    } catch (error) {
      const { name } = error as Error;
      if (name === 'QuotaError' && !this.#isFull) {
        // A page that is offline may lack the code for it.
        if (what !== undefined) await this.#makeRoom(what).catch(() => undefined);
        else this.#isFull = true;
        return this.#commit(changes, turn, rest);
      }
      if (name !== 'FencedError') {
        this.#keep(changes, true);
        this.lose('lost');
      } else if (this.#turn !== null) this.lose('fenced');
      else if (turn !== null) turn.isFenced = true;
      return false;
    }
  }
}

/** Removals go in any case: they free room, and the server has none of it any more. */
export function isNeeded({ table, key, value }: RowChange | BlobChange): boolean {
  // Without its objects, a step of the tabs isn't there: they read what is.
  const isOfServer = table === 'meta' && /^(?:step |shown |session$)/.test(key);
  return value === undefined || (NEEDED.has(table) && !isOfServer);
}

function isRow(change: Written): change is RowChange {
  return change.table !== 'blobs';
}

/** Octets are too many to be kept in memory. */
function isKept(change: Written): boolean {
  return isRow(change) || change.value === undefined;
}

function nameOf({ table, key }: Written): string {
  return `${table} ${key}`;
}

function makeBatch(turn: Turn | null): Batch {
  let end: Batch['end'] = () => undefined;
  const done = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  return { turn, rows: new Map(), done, end };
}
