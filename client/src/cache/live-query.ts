import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { compileFilter } from '../query/filters.js';
import { LocalList } from '../query/local-list.js';
import type { RulesLoader } from '../query/rules-loader.js';
import { compileSort } from '../query/sorts.js';
import type { TypeTable } from '../schema/tables.js';
import type { Replica, Row } from '../store/replica.js';
import { isEqual, mapTexts } from '../store/values.js';
import type { Key } from '../store/write.js';
import type { LiveSnapshot, LiveStatus } from './cached-types.js';
import { Listeners, type Observable } from './observable.js';

/** The arguments of a list, as RFC 8620 5.5 has them. */
export interface ListArguments {
  readonly filter: JsonValue;
  readonly sort: readonly JsonObject[];
  readonly limit: number | null;
}

/** The account that a list is made from. */
export interface LiveSource {
  readonly replica: Replica;
  readonly rules: RulesLoader;
  /** The number of the last commit. */
  readonly seq: () => number;
  readonly status: () => LiveStatus;
  /** Tells the query of each commit, until the function that it returns is called. */
  readonly follow: (query: LiveRows) => () => void;
}

type Snapshot = LiveSnapshot<Row>;

/** A list of an account that the client can judge by itself; all who look at it share it. */
export class LiveRows implements Observable<Snapshot> {
  readonly table: TypeTable;
  readonly #args: ListArguments;
  readonly #source: LiveSource;
  readonly #listeners = new Listeners<Snapshot>();
  #list: LocalList<Row> | null = null;
  /** The filter as it was compiled: with the ids that objects made here had by then. */
  #filter: JsonValue = null;
  #isJudged = true;
  #seq = -1;
  #snapshot: Snapshot = { rows: [], total: 0, status: 'loading', complete: false };
  #leave: (() => void) | null = null;

  constructor(table: TypeTable, args: ListArguments, source: LiveSource) {
    this.table = table;
    this.#args = args;
    this.#source = source;
  }

  readonly getSnapshot = (): Snapshot => {
    // Without listeners the list isn't told of commits: it looks for itself.
    if (this.#leave === null) this.#refresh();
    return this.#snapshot;
  };

  readonly subscribe = (listener: (snapshot: Snapshot) => void): (() => void) => {
    this.#leave ??= this.#source.follow(this);
    // A commit may be untold yet: the newcomer comes while a listener hears of the one before it.
    if (this.#refresh()) this.tell();
    const remove = this.#listeners.add(listener, this.#snapshot);
    return () => {
      remove();
      if (this.#listeners.size > 0) return;
      this.#leave?.();
      this.#leave = null;
    };
  };

  /** Takes what a commit has touched. Returns whether there is something to tell. */
  update(touched: ReadonlySet<Key> | undefined): boolean {
    const { replica, seq } = this.#source;
    if (this.#list === null || !isEqual(this.#filter, this.#nameFilter())) return this.#refresh();
    if (touched !== undefined) {
      const { name } = this.table;
      const rows = Array.from(touched, (key) => [key, replica.row(name, key)] as const);
      // Under an id that has become another's key there is no row of its own.
      this.#list.update(
        new Map(rows.map(([key, row]) => [key, row?.$key === key ? row : undefined])),
      );
    }
    this.#seq = seq();
    return this.#show();
  }

  /** Tells listeners the snapshot. */
  tell(): void {
    this.#listeners.call(this.#snapshot);
  }

  /** Makes the list anew where commits have passed by it. */
  #refresh(): boolean {
    const { replica, seq } = this.#source;
    const filter = this.#nameFilter();
    if (this.#list === null || !isEqual(filter, this.#filter)) this.#compile(filter);
    if (this.#list !== null && this.#seq !== seq()) {
      this.#list.fill(replica.rows(this.table.name));
      this.#seq = seq();
    }
    return this.#show();
  }

  #nameFilter(): JsonValue {
    const { replica } = this.#source;
    return mapTexts(this.#args.filter, (text) => replica.idOf(text) ?? text);
  }

  #compile(filter: JsonValue): void {
    const { table } = this;
    this.#filter = filter;
    this.#seq = -1;
    const made = this.#source.rules.compile(
      (rules) => {
        const match = compileFilter(table, filter, rules);
        const order = compileSort(table, this.#args.sort, rules);
        return { list: match && order && new LocalList<Row>(match, order) };
      },
      () => {
        if (this.#refresh()) this.tell();
      },
    );
    this.#list = made?.list ?? null;
    this.#isJudged = made === null || made.list !== null;
  }

  #show(): boolean {
    const { replica, status } = this.#source;
    const { rows: before } = this.#snapshot;
    const all = this.#list?.rows ?? [];
    const cut = all.slice(0, this.#args.limit ?? all.length);
    const isSame = cut.length === before.length && cut.every((row, at) => row === before[at]);
    const next: Snapshot = Object.freeze({
      rows: isSame ? before : Object.freeze(cut),
      total: all.length,
      status: this.#isJudged ? (this.#list === null ? 'loading' : status()) : 'error',
      complete: this.#list !== null && replica.isCovered(this.table.name),
    });
    const names = ['rows', 'total', 'status', 'complete'] as const;
    if (names.every((name) => next[name] === this.#snapshot[name])) return false;
    this.#snapshot = next;
    return true;
  }
}
