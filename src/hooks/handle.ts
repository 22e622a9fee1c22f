import type { DataTypeDefinition } from '../capability/definition.js';
import type { HookTransaction } from '../capability/hooks.js';
import type { SetResponse } from '../capability/standard.js';
import { accountOf } from '../methods/accounts.js';
import type { CallContext } from '../methods/context.js';
import { HookHandleError } from '../methods/hook-errors.js';
import type { Snapshot } from '../store/port.js';

/** The source that `reader.get` and `tx.get` read from. */
type ObjectReader = Pick<Snapshot, 'get'>;

interface HandleOptions {
  /** Null where the method has no account. */
  readonly snapshot: ObjectReader | null;
  readonly prisma: unknown;
  readonly maxObjectsInGet: number;
  /** Null where the hook only reads. `isPartial`: it resolves where objects are refused, too. */
  readonly set:
    | ((type: DataTypeDefinition, request: object, isPartial: boolean) => Promise<SetResponse>)
    | null;
}

/**
 * The `tx` (or `reader`) of one hook. It runs operations one after the other, even if the hook
 * starts several at once, and none after `end`: a hook that was given up can't reach the database.
 */
export class HookHandle implements HookTransaction {
  readonly #options: HandleOptions;
  #last: Promise<unknown> = Promise.resolve();
  #over = false;

  constructor(options: HandleOptions) {
    this.#options = options;
  }

  get prisma(): unknown {
    this.#check();
    return this.#options.prisma;
  }

  readonly get: HookTransaction['get'] = (type, ids) =>
    this.#next(async () => {
      const { snapshot, maxObjectsInGet } = this.#options;
      if (snapshot === null)
        throw new HookHandleError('A method with "account: none" has no data.');
      const which = ids === null ? { first: maxObjectsInGet } : [...new Set(ids)];
      const list = await snapshot.get(type, which, type.properties);
      // The engine reads any type; only its definition knows what the objects look like.
      return list as never;
    });

  readonly set: HookTransaction['set'] = (type, request, { partial = false } = {}) =>
    this.#next(async () => {
      const { set } = this.#options;
      if (set === null) {
        throw new HookHandleError('tx.set needs a method with "account: write".');
      }
      return (await set(type, request, partial)) as never;
    });

  /** From here on every operation throws. */
  end(): void {
    this.#over = true;
  }

  #next<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      this.#check();
      return operation();
    });
    // A failure is the hook's to see; the next operation comes all the same.
    this.#last = result.catch(() => undefined);
    return result;
  }

  #check(): void {
    if (this.#over) throw new HookHandleError('The transaction of this hook is over.');
  }
}

/**
 * A snapshot of the call's account, taken at its first read: until then a hook that waits for the
 * world outside holds no connection of the database.
 */
export class LateSnapshot implements ObjectReader {
  readonly #context: CallContext;
  #end: () => void = () => undefined;
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });
  #snapshot: Promise<Snapshot> | null = null;

  constructor(context: CallContext) {
    this.#context = context;
  }

  async get(...args: Parameters<Snapshot['get']>): ReturnType<Snapshot['get']> {
    return (await this.#open()).get(...args);
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
