import type { DataTypeDefinition } from '../capability/definition.js';
import type { BlobOctets, HookTransaction } from '../capability/hooks.js';
import type { QueryArguments, SetResponse } from '../capability/standard.js';
import { accountOf } from '../methods/accounts.js';
import type { CallContext, MethodLimits } from '../methods/context.js';
import { HookHandleError } from '../methods/hook-errors.js';
import { quoted } from '../methods/issues.js';
import { startOf } from '../methods/query/query.js';
import { compileQuery, totalOf } from '../methods/query/query-plan.js';
import { readExisting } from '../methods/read-existing.js';
import { indexOf } from '../methods/type-index.js';
import type { NewBlob, Snapshot } from '../store/port.js';
import { type BlobOpener, ReadBlobs } from './read-blobs.js';

/** The source that a `reader` or a `tx` reads from. */
type ObjectReader = Pick<Snapshot, 'get' | 'page' | 'blobs' | 'count' | 'objectCount'>;

/** The writing operations of a `tx`. */
interface Writing {
  /** `isPartial`: it resolves where objects are refused, too. */
  set(type: DataTypeDefinition, request: object, isPartial: boolean): Promise<SetResponse>;
  putBlob(octets: BlobOctets, type: string | undefined): Promise<NewBlob>;
}

interface HandleOptions {
  /** Null where the method has no account. */
  readonly snapshot: ObjectReader | null;
  readonly prisma: unknown;
  readonly limits: Pick<MethodLimits, 'maxObjectsInGet' | 'queryMaxLimit'>;
  /** The user who may see the blobs; null: all of the account. */
  readonly viewer: string | null;
  readonly openBlob: BlobOpener;
  /** Null where the hook only reads. */
  readonly writing: Writing | null;
}

/**
 * The `tx` (or `reader`) of one hook. It runs operations one after the other, even if the hook
 * starts several at once, and none after `end`: a hook that was given up can't reach the database.
 */
export class HookHandle implements HookTransaction {
  readonly #options: HandleOptions;
  readonly #blobs: ReadBlobs;
  #last: Promise<unknown> = Promise.resolve();
  #over = false;

  constructor(options: HandleOptions) {
    this.#options = options;
    this.#blobs = new ReadBlobs(options.openBlob);
  }

  get prisma(): unknown {
    this.#check();
    return this.#options.prisma;
  }

  readonly get: HookTransaction['get'] = (type, ids) =>
    this.#next(async () => {
      const { maxObjectsInGet } = this.#options.limits;
      const which = ids === null ? { first: maxObjectsInGet } : [...new Set(ids)];
      const list = await readExisting(this.#snapshot(), type, which);
      // The engine reads any type; only its definition knows what the objects look like.
      return list as never;
    });

  readonly query: HookTransaction['query'] = (type, query = {}) =>
    this.#next(async () => {
      const snapshot = this.#snapshot();
      const given = query as Omit<QueryArguments, 'accountId'>;
      const { plan } = compileQuery(indexOf(type), given.filter ?? null, given.sort ?? null);
      requireWhole('limit', given.limit ?? 0, 0);
      requireWhole('position', given.position ?? 0, Number.MIN_SAFE_INTEGER);
      const limit = Math.min(given.limit ?? Infinity, this.#options.limits.queryMaxLimit);
      const isFromEnd = (given.position ?? 0) < 0;
      const total = isFromEnd ? await totalOf(snapshot, type, plan) : 0;
      const window = { position: startOf(given, total), limit };
      const { ids } = await snapshot.page(type, plan, window, null);
      return Object.freeze([...ids]);
    });

  readonly blob: HookTransaction['blob'] = (id) =>
    this.#next(async () => {
      const { viewer } = this.#options;
      const [row] = await this.#snapshot().blobs([id], ...(viewer === null ? [] : [viewer]));
      return row === undefined ? null : this.#blobs.offer(row);
    });

  readonly set: HookTransaction['set'] = (type, request, { partial = false } = {}) =>
    this.#next(async () => (await this.#writing('set').set(type, request, partial)) as never);

  readonly putBlob: HookTransaction['putBlob'] = (octets, type) =>
    this.#next(async () => {
      const blob = await this.#writing('putBlob').putBlob(octets, type);
      return Object.freeze({ id: blob.id, type: blob.type, size: blob.size });
    });

  /** From here on every operation throws. */
  end(): void {
    this.#over = true;
    this.#blobs.end();
  }

  #snapshot(): ObjectReader {
    const { snapshot } = this.#options;
    if (snapshot === null) throw new HookHandleError('A method with "account: none" has no data.');
    return snapshot;
  }

  #writing(name: string): Writing {
    const { writing } = this.#options;
    if (writing !== null) return writing;
    throw new HookHandleError(`tx.${name} needs a method with "account: write".`);
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

/** Nothing has judged what a hook asks: a negative limit would be none to a database. */
function requireWhole(name: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least) return;
  const from = least === 0 ? ' from 0 on' : '';
  const given = quoted(String(value));
  throw new HookHandleError(`query takes a whole number${from} as "${name}", not ${given}.`);
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

  async page(...args: Parameters<Snapshot['page']>): ReturnType<Snapshot['page']> {
    return (await this.#open()).page(...args);
  }

  async blobs(...args: Parameters<Snapshot['blobs']>): ReturnType<Snapshot['blobs']> {
    return (await this.#open()).blobs(...args);
  }

  async count(...args: Parameters<Snapshot['count']>): ReturnType<Snapshot['count']> {
    return (await this.#open()).count(...args);
  }

  async objectCount(
    ...args: Parameters<Snapshot['objectCount']>
  ): ReturnType<Snapshot['objectCount']> {
    return (await this.#open()).objectCount(...args);
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
