import { accountOf } from '../methods/accounts.js';
import type { CallContext } from '../methods/context.js';
import type { Snapshot, StoredObject } from '../store/port.js';
import type { ObjectReader } from './port.js';

/**
 * Runs what may read in one snapshot of the call's account. It is taken at the first read, so that a
 * hook that waits for the world outside holds no connection of the database before.
 */
export async function withLateSnapshot<T>(
  context: CallContext,
  work: (reader: ObjectReader) => Promise<T>,
): Promise<T> {
  const snapshot = new LateSnapshot(context);
  try {
    return await work(snapshot);
  } finally {
    snapshot.end();
  }
}

class LateSnapshot implements ObjectReader {
  readonly #context: CallContext;
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;
  #snapshot: Promise<Snapshot> | null = null;

  constructor(context: CallContext) {
    this.#context = context;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async get(...args: Parameters<Snapshot['get']>): Promise<readonly StoredObject[]> {
    return (await this.#open()).get(...args);
  }

  async getAll(...args: Parameters<Snapshot['getAll']>): Promise<readonly StoredObject[]> {
    return (await this.#open()).getAll(...args);
  }

  /** Gives the connection back; whoever reads later is refused by the snapshot. */
  end(): void {
    this.#end();
  }

  #open(): Promise<Snapshot> {
    this.#snapshot ??= new Promise((resolve, reject) => {
      const { services, deadline } = this.#context;
      const options = { deadline, exclusive: true };
      const read = services.store.read(accountOf(this.#context).id, options, (snapshot) => {
        resolve(snapshot);
        return this.#ended;
      });
      read.catch(reject);
    });
    return this.#snapshot;
  }
}
