import type { BlobChange, OpenStore, Change as RowChange } from '../persist/port.js';

/** Why a client writes nothing more to its store. */
export type Loss =
  /** The data can't be reached: the client goes on in memory. */
  | 'lost'
  /** Another client has the data: this one has to end. */
  | 'fenced';

type Written = RowChange | BlobChange;

/** Tables that a store without room still gets; objects are at the server, too. */
const NEEDED: ReadonlySet<Written['table']> = new Set(['log', 'aliases', 'meta']);

/** Changes that are written together, and who waits for them. */
interface Batch {
  readonly rows: Map<string, Written>;
  readonly done: Promise<boolean>;
  readonly end: (isDurable: boolean) => void;
}

/**
 * Writes changes to a store in their order, each one whole. Changes that come while others are
 * being written are one transaction together. Where the store has no room, it gets writes and what
 * belongs to them alone from then on.
 */
export class StoreWriter {
  readonly #store: OpenStore | null;
  readonly #epoch: number;
  readonly #onLoss: (loss: Loss) => void;
  #next: Batch | null = null;
  #running: Promise<void> | null = null;
  #loss: Loss | null = null;
  #isFull = false;

  /** Without a store, it is lost from the begin. */
  constructor(store: OpenStore | null, epoch: number, onLoss: (loss: Loss) => void) {
    this.#store = store;
    if (store === null) this.#loss = 'lost';
    this.#epoch = epoch;
    this.#onLoss = onLoss;
  }

  get loss(): Loss | null {
    return this.#loss;
  }

  /** The store has no room: it gets neither objects nor files any more. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Resolves to true once the changes are durable, to false where they never will be. */
  write(changes: readonly Written[]): Promise<boolean> {
    if (this.#loss !== null) return Promise.resolve(false);
    this.#next ??= makeBatch();
    const { rows, done } = this.#next;
    for (const change of changes) rows.set(`${change.table} ${change.key}`, change);
    this.#running ??= this.#run();
    return done;
  }

  /** Resolves when nothing is being written. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#next !== null) {
      const batch = this.#next;
      this.#next = null;
      batch.end(await this.#commit([...batch.rows.values()]));
    }
    this.#running = null;
  }

  async #commit(changes: readonly Written[]): Promise<boolean> {
    if (this.#loss !== null) return false;
    // Objects and the state that they have reached stay as they were, so they still go together.
    const rows = this.#isFull ? changes.filter(isNeeded) : changes;
    try {
      await this.#store?.commit(rows, { epoch: this.#epoch, durable: true });
      return true;
    } catch (error) {
      if ((error as Error).name === 'QuotaError' && !this.#isFull) {
        this.#isFull = true;
        return this.#commit(changes);
      }
      this.#loss = (error as Error).name === 'FencedError' ? 'fenced' : 'lost';
      this.#onLoss(this.#loss);
      return false;
    }
  }
}

/** Removals go in any case: they free room, and the server has none of it any more. */
function isNeeded({ table, value }: Written): boolean {
  return value === undefined || NEEDED.has(table);
}

function makeBatch(): Batch {
  let end: Batch['end'] = () => undefined;
  const done = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  return { rows: new Map(), done, end };
}
