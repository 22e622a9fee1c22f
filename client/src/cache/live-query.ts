import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { compileFilter, type Match } from '../query/filters.js';
import type { Lazy } from '../query/lazy.js';
import type * as ListParts from '../query/list-parts.js';
import { LocalList } from '../query/local-list.js';
import type { RulesLoader } from '../query/rules-loader.js';
import type { ListSearch } from '../query/server-list.js';
import { compileSort, type Order } from '../query/sorts.js';
import type { TypeTable } from '../schema/tables.js';
import type { Replica, Row, Touched } from '../store/replica.js';
import { isEqual, mapTexts } from '../store/values.js';
import { isLocalKey } from '../store/write.js';
import type { LiveSnapshot, LiveStatus } from './cached-types.js';
import { Include } from './include.js';
import { Listeners, type Observable } from './observable.js';

/** Rows of a list without a limit that only the server can decide. */
const MOST_ROWS = 1000;

/** The arguments of a list, as RFC 8620 5.5 has them. */
export interface ListArguments {
  readonly filter: JsonValue;
  readonly sort: readonly JsonObject[];
  readonly position: number;
  readonly limit: number | null;
  /** Names of references whose objects stand in the rows. */
  readonly include: readonly string[];
}

/** The account that a list is made from. */
export interface LiveSource {
  readonly replica: Replica;
  readonly rules: RulesLoader;
  readonly lists: Lazy<typeof ListParts>;
  /** The number of the last commit. */
  readonly seq: () => number;
  /** Returns the status of a type, and of a list that the server decides. */
  readonly status: (type: string, list: string | undefined) => LiveStatus;
  /** Tells the query of each commit, until the function that it returns is called. */
  readonly follow: (query: LiveRows) => () => void;
  /** Asks for objects of a type that is kept in part. */
  readonly fetch: (type: string, ids: Iterable<string>) => void;
  /** Keeps a list that the server decides in step with it, until the function is called. */
  readonly openList: (search: ListSearch) => () => void;
}

type Snapshot = LiveSnapshot<Row>;

/** A list is made from all rows of its type, or from the ids that the server has found. */
interface Plan {
  readonly match: Match | null;
  readonly order: Order | null;
  /** Null: only the server can tell which rows there are. */
  readonly local: LocalList<Row> | null;
  /** Null: the server can't be asked, since it doesn't have /query or an object of the filter. */
  readonly search: ListSearch | null;
}

/** A list as it shows, without its status. */
type Contents = Omit<Snapshot, 'status'>;

const NOTHING: Contents = Object.freeze({
  ...{ rows: [], total: 0, complete: false, approximate: false },
});

/** A list of an account; all who look at it share it. */
export class LiveRows implements Observable<Snapshot> {
  readonly table: TypeTable;
  readonly #args: ListArguments;
  readonly #source: LiveSource;
  readonly #listeners = new Listeners<Snapshot>();
  readonly #include: Include;
  /** Null: the rules of texts that it needs are being loaded. */
  #plan: Plan | null = null;
  /** The filter as it was compiled: with the ids that objects made here had by then. */
  #filter: JsonValue = null;
  /** The client keeps only a part of the type, as of when the plan was made. */
  #isPartial = false;
  #seq = -1;
  #snapshot: Snapshot = { ...NOTHING, status: 'loading' };
  #leave: (() => void) | null = null;
  #close: (() => void) | null = null;

  constructor(table: TypeTable, args: ListArguments, source: LiveSource) {
    this.table = table;
    this.#args = args;
    this.#source = source;
    this.#include = new Include(table, args.include, source.replica);
  }

  readonly getSnapshot = (): Snapshot => {
    // Without listeners the list isn't told of commits: it looks for itself.
    if (this.#leave === null) this.#refresh();
    return this.#snapshot;
  };

  readonly subscribe = (listener: (snapshot: Snapshot) => void): (() => void) => {
    if (this.#leave === null) {
      this.#leave = this.#source.follow(this);
      this.#open();
    }
    // A commit may be untold yet: the newcomer comes while a listener hears of the one before it.
    if (this.#refresh()) this.tell();
    const remove = this.#listeners.add(listener, this.#snapshot);
    return () => {
      remove();
      if (this.#listeners.size > 0) return;
      this.#leave?.();
      this.#leave = null;
      this.#open();
    };
  };

  /** Takes what a commit has touched. Returns whether there is something to tell. */
  update(changed: Touched): boolean {
    const { replica, seq } = this.#source;
    const touched = changed.get(this.table.name);
    const local = this.#plan?.local ?? null;
    if (local === null || this.#isOutdated()) return this.#refresh();
    if (touched !== undefined) {
      const { name } = this.table;
      const rows = Array.from(touched, (key) => [key, replica.row(name, key)] as const);
      // Under an id that has become another's key there is no row of its own.
      local.update(new Map(rows.map(([key, row]) => [key, row?.$key === key ? row : undefined])));
    }
    this.#seq = seq();
    return this.#show();
  }

  /** Returns the ids that the rows refer to, and whose objects they have. */
  included(): Iterable<readonly [type: string, id: string]> {
    return this.#include.idsIn(this.#snapshot.rows);
  }

  /** Tells listeners the snapshot. */
  tell(): void {
    this.#listeners.call(this.#snapshot);
  }

  /** Makes the list anew where commits have passed by it. */
  #refresh(): boolean {
    const { replica, seq } = this.#source;
    if (this.#plan === null || this.#isOutdated()) this.#compile();
    if (this.#seq !== seq()) this.#plan?.local?.fill(replica.rows(this.table.name));
    this.#seq = seq();
    return this.#show();
  }

  #isOutdated(): boolean {
    const isPartial = this.#source.replica.coverage(this.table.name) === 'known';
    return isPartial !== this.#isPartial || !isEqual(this.#filter, this.#nameFilter());
  }

  #nameFilter(): JsonValue {
    const { replica } = this.#source;
    return mapTexts(this.#args.filter, (text) => replica.idOf(text) ?? text);
  }

  #compile(): void {
    const { table } = this;
    this.#filter = this.#nameFilter();
    this.#isPartial = this.#source.replica.coverage(table.name) === 'known';
    this.#seq = -1;
    this.#plan = this.#source.rules.compile(
      (rules) => {
        const match = compileFilter(table, this.#filter, rules);
        const order = compileSort(table, this.#args.sort, rules);
        const isLocal = !this.#isPartial && match !== null && order !== null;
        const local = isLocal ? new LocalList<Row>(match, order) : null;
        return { match, order, local, search: isLocal ? null : this.#makeSearch() };
      },
      () => {
        if (this.#refresh()) this.tell();
      },
    );
    if (this.#plan?.local === null) {
      this.#source.lists.want(() => {
        if (this.#refresh()) this.tell();
      });
    }
    this.#open();
  }

  #makeSearch(): ListSearch | null {
    const { sort, position, limit } = this.#args;
    const { name: type, methods } = this.table;
    const filter = this.#filter;
    let isKnown = methods.includes('query');
    // The server doesn't know objects whose creates it has not answered.
    mapTexts(filter, (text) => {
      if (isLocalKey(text)) isKnown = false;
      return text;
    });
    const search = { filter, sort: [...sort] };
    const length = limit ?? MOST_ROWS;
    const name = JSON.stringify([type, search, position, length]);
    return isKnown ? { name, type, search, position, length } : null;
  }

  /** Has the server's list followed while somebody looks at this one. */
  #open(): void {
    const search = this.#leave === null ? null : (this.#plan?.search ?? null);
    const close = this.#close;
    this.#close = search && this.#source.openList(search);
    close?.();
  }

  #show(): boolean {
    const { name } = this.table;
    const { rows: before } = this.#snapshot;
    const plan = this.#plan;
    const { rows: found, ...rest } = plan === null ? NOTHING : this.#findContents(plan);
    const rows = this.#include.join(found);
    if (rows !== found && this.#leave !== null) this.#fetchIncluded(found);
    const isSame = rows.length === before.length && rows.every((row, at) => row === before[at]);
    const isLoading = plan === null || (plan.local === null && plan.search === null);
    const next: Snapshot = Object.freeze({
      ...rest,
      rows: isSame ? before : Object.freeze(rows),
      status: isLoading ? this.#findWait() : this.#source.status(name, plan.search?.name),
    });
    const names = ['rows', 'total', 'status', 'complete', 'approximate'] as const;
    if (names.every((one) => next[one] === this.#snapshot[one])) return false;
    this.#snapshot = next;
    return true;
  }

  /** Types that are kept in part have no object that nobody has asked for. */
  #fetchIncluded(rows: readonly Row[]): void {
    const { replica, fetch } = this.#source;
    const missing = new Map<string, string[]>();
    for (const [type, id] of this.#include.idsIn(rows)) {
      if (replica.coverage(type) !== 'known' || replica.row(type, id) !== undefined) continue;
      missing.set(type, [...(missing.get(type) ?? []), id]);
    }
    for (const [type, ids] of missing) fetch(type, ids);
  }

  /** Types without /query have lists alone that the client can decide. */
  #findWait(): LiveStatus {
    return this.#plan === null || this.table.methods.includes('query') ? 'loading' : 'error';
  }

  #findContents({ local, match, order, search }: Plan): Contents {
    const { replica } = this.#source;
    const { name: type } = this.table;
    const { position, limit } = this.#args;
    if (local !== null) {
      const { rows: all } = local;
      const rows = all.slice(position, limit === null ? all.length : position + limit);
      const complete = replica.coverage(type) === 'all';
      return { rows, total: all.length, complete, approximate: false };
    }
    const parts = this.#source.lists.part;
    if (parts === null) return NOTHING;
    const list = search === null ? undefined : replica.list(search.name);
    const written = replica.log.flatMap((write) => (write.type === type ? [write.key] : []));
    // Nobody knows what lies before a list that doesn't begin with the first id.
    const isFirst = position === 0;
    const { rows, total, isApproximate } = parts.overlayRows({
      ids: list?.shown ?? [],
      total: list?.total ?? null,
      match: isFirst ? match : null,
      order: isFirst ? order : null,
      written: [...written, ...(list?.answered ?? [])],
      keyOf: (id) => replica.keyOf(type, id),
      row: (key) => replica.row(type, key),
      base: (key) => replica.base(type, key),
    });
    const isWhole =
      list?.isReplacing === false &&
      list.shown.length >= Math.min(list.length, (list.total ?? list.length) - list.position) &&
      list.shown.every((id) => replica.has(type, id));
    return {
      rows: rows.slice(0, limit ?? rows.length),
      total: total ?? rows.length,
      complete: isWhole,
      approximate: isApproximate,
    };
  }
}
