import type {
  CallOptions,
  FilterNode,
  QueryPlan,
  Snapshot,
  Store,
  StoredObject,
  Transaction,
} from '../../../src/store/port.js';
import { Gadget, plan, queryIds } from '../gadget.js';

/** A store on an empty database that has the tables of the service and of Gadget. */
export interface Engine {
  readonly store: Store;
  /** The text of each statement that operations ran, in order: the test may empty it. */
  readonly statements: string[];
  /** Runs SQL that no operation of a store makes. */
  run(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

export type OpenEngine = (options: { readonly now: () => number }) => Promise<Engine>;

/** Two accounts. */
export const A = 'aone';
export const B = 'atwo';

/** More octets, or a later time, than any test has. */
export const HUGE = 1e12;

/**
 * The engine of the running test, a clock that tests set, and short forms of what they do all the
 * time.
 */
export class Bench {
  now = 0;
  #engine: Engine | undefined;

  async open(open: OpenEngine): Promise<void> {
    this.now = 1_000_000;
    this.#engine = await open({ now: () => this.now });
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('No test is running.');
    return this.#engine;
  }

  get store(): Store {
    return this.engine.store;
  }

  /** Makes a user a member of a group. */
  readonly join = (userId: string, groupId: string): Promise<unknown> =>
    this.engine.run(
      `INSERT INTO "JmapMember" ("userId", "groupId") VALUES ('${userId}', '${groupId}')`,
    );

  readonly soon = (): CallOptions => ({ deadline: performance.now() + 20_000 });

  readonly read = <T>(work: (snapshot: Snapshot) => Promise<T>, account = A): Promise<T> =>
    this.store.read(account, this.soon(), work);

  readonly write = <T>(work: (transaction: Transaction) => Promise<T>, account = A): Promise<T> =>
    this.store.write(account, this.soon(), work);

  readonly insert = (objects: readonly StoredObject[], account = A): Promise<void> =>
    this.write((transaction) => transaction.writeRows('insert', Gadget, objects), account);

  readonly all = (account = A): Promise<readonly StoredObject[]> =>
    this.read(
      (snapshot) => snapshot.get(Gadget, { first: 10_000 }, Gadget.properties, HUGE),
      account,
    );

  readonly ids = (query: QueryPlan, position = 0, limit = 10_000): Promise<readonly string[]> =>
    this.read((snapshot) => queryIds(snapshot, Gadget, query, position, limit));

  readonly found = (filter: FilterNode): Promise<readonly string[]> => this.ids(plan(filter));

  /** How many statements `work` runs. */
  readonly counted = async (work: () => Promise<unknown>): Promise<number> => {
    this.engine.statements.length = 0;
    await work();
    return this.engine.statements.length;
  };
}

export function idOf(object: { readonly id: string }): string {
  return object.id;
}
