import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { compileFilter, type Match } from '../query/filters.js';
import { isEqualList, LocalList } from '../query/local-list.js';
import { findNoted, type KnownList } from '../query/noted-list.js';
import { overlayRows } from '../query/overlay.js';
import type { RulesLoader } from '../query/rules-loader.js';
import { runInSlices } from '../query/slices.js';
import { compileSort, type Order } from '../query/sorts.js';
import type { TypeTable } from '../schema/tables.js';
import type { ListNote, ShownList } from '../store/list-notes.js';
import type { ListSearch } from '../store/list-state.js';
import type { Replica, Row, Touched } from '../store/replica.js';
import { isEqual, mapTexts } from '../store/values.js';
import type { LiveSnapshot, LiveStatus } from './cached-types.js';
import { Include } from './include.js';
import { Listeners, type Observable } from './observable.js';

/** Rows of a list without a limit that only the server can decide. */
const MOST_ROWS = 1000;
/** A list of more objects is made in slices: others have the thread in between. */
const MOST_AT_ONCE = 5000;

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
  /** Names the list among those of the account. */
  readonly name: string;
  /** The first rows that were shown of it the last time. */
  readonly note: ListNote | undefined;
  /** Returns whether all objects of the store are there. */
  readonly isLoaded: () => boolean;
  readonly replica: Replica;
  readonly rules: RulesLoader;
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
  /** Null: the server can't be asked. */
  readonly search: ListSearch | null;
  /** The filter names objects that are on their way to the server. */
  readonly isWaiting: boolean;
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
  /** The list as it was shown last, until all objects are here. */
  #note: ListNote | undefined;
  /** The commit that the list was made from; -1: not all objects are here. */
  #seq = -1;
  /** The rows that were looked at last; the snapshot may have equal ones. */
  #shown: readonly Row[] = [];
  /** All rows were looked at since the list was shown. */
  #isAnew = false;
  #snapshot: Snapshot = { ...NOTHING, status: 'loading' };
  #leave: (() => void) | null = null;
  #close: (() => void) | null = null;

  constructor(table: TypeTable, args: ListArguments, source: LiveSource) {
    this.table = table;
    this.#args = args;
    this.#source = source;
    this.#note = source.note;
    this.#include = new Include(table, args.include, source.replica);
  }

  get rows(): readonly Row[] {
    return this.getSnapshot().rows;
  }

  readonly getSnapshot = (): Snapshot => {
    // Without listeners the list isn't told of commits: it looks for itself.
    if (this.#leave === null) this.#refresh();
    return this.#snapshot;
  };

  readonly subscribe = (listener: (snapshot: Snapshot) => void): (() => void) => {
    const isFirst = this.#leave === null;
    if (isFirst) {
      this.#leave = this.#source.follow(this);
      this.#open();
    }
    // A commit may be untold yet: the newcomer comes while a listener hears of the one before it.
    if ((isFirst || this.#seq !== this.#source.seq()) && this.#refresh()) this.tell();
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
    if (local === null || this.#seq < 0 || this.#isOutdated()) return this.#refresh();
    if (touched !== undefined) {
      const { name } = this.table;
      const changes = Array.from(touched, ([key, before]) => {
        const row = replica.row(name, key);
        // Under an id that has become another's key there is no row of its own.
        return { before, after: row?.$key === key ? row : undefined };
      });
      local.update(changes);
    }
    this.#seq = seq();
    return this.#show(changed);
  }

  /** Returns the ids that the rows refer to, and whose objects they have. */
  included(): Iterable<readonly [type: string, id: string]> {
    return this.#include.idsIn(this.#snapshot.rows);
  }

  /** Returns the list as it is shown; undefined: it isn't whole. */
  describe(): ShownList | undefined {
    const { rows, total, complete } = this.#snapshot;
    if (!complete) return undefined;
    const { name: type } = this.table;
    const ids = rows.map(({ id }) => id);
    return { name: this.#source.name, type, ids, total, included: this.included() };
  }

  /** Tells listeners the snapshot. */
  tell(): void {
    this.#listeners.call(this.#snapshot);
  }

  /** It is the same for all commits that come before the rules of texts. */
  readonly #onRules = (): void => {
    if (this.#refresh()) this.tell();
  };

  /** Makes the list anew where commits have passed by it. */
  #refresh(): boolean {
    const { seq, isLoaded } = this.#source;
    if (this.#plan === null || this.#isOutdated()) this.#compile();
    if (!isLoaded()) return this.#show();
    if (this.#seq !== seq()) {
      this.#isAnew = true;
      this.#fill();
    }
    this.#seq = seq();
    return this.#show();
  }

  #fill(): void {
    const { replica } = this.#source;
    const { name } = this.table;
    const local = this.#plan?.local ?? null;
    if (local === null) return;
    if (replica.count(name) <= MOST_AT_ONCE) {
      local.fill(replica.rows(name));
      return;
    }
    void runInSlices(local.fillSteps([...replica.rows(name)])).then(() => {
      this.#isAnew = true;
      if (this.#show()) this.tell();
    });
  }

  #isOutdated(): boolean {
    const isPartial = this.#source.replica.coverage(this.table.name) === 'known';
    const isOther = isPartial !== this.#isPartial || !isEqual(this.#filter, this.#nameFilter());
    return isOther || (this.#plan?.isWaiting === true && !this.#namesPending());
  }

  /** Returns whether the filter names an object whose create the server has not answered. */
  #namesPending(): boolean {
    const { log } = this.#source.replica;
    const creates = new Set(log.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
    let isPending = false;
    mapTexts(this.#filter, (text) => {
      if (creates.has(text)) isPending = true;
      return text;
    });
    return isPending;
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
    this.#plan = this.#source.rules.compile((rules) => {
      const match = compileFilter(table, this.#filter, rules);
      const order = compileSort(table, this.#args.sort, rules);
      const isLocal = !this.#isPartial && match !== null && order !== null;
      const local = isLocal ? new LocalList<Row>(match, order) : null;
      const isWaiting = !isLocal && this.#namesPending();
      const search = isLocal || isWaiting ? null : this.#makeSearch();
      return { match, order, local, search, isWaiting };
    }, this.#onRules);
    this.#open();
  }

  #makeSearch(): ListSearch | null {
    const { sort, position, limit } = this.#args;
    const { name: type, methods } = this.table;
    if (!methods.includes('query')) return null;
    const search = { filter: this.#filter, sort: [...sort] };
    const length = limit ?? MOST_ROWS;
    const name = JSON.stringify([type, search, position, length]);
    return { name, type, search, position, length };
  }

  /** Has the server's list followed while somebody looks at this one. */
  #open(): void {
    const search = this.#leave === null ? null : (this.#plan?.search ?? null);
    const close = this.#close;
    this.#close = search && this.#source.openList(search);
    close?.();
  }

  /** Shows the list as it is now; `changed`: all that has changed since it was shown. */
  #show(changed?: Touched): boolean {
    const { rows: before } = this.#snapshot;
    const plan = this.#plan;
    const { rows: found, ...rest } = this.#findContents(plan);
    const rows = this.#include.join(found, changed);
    if (this.#include.isPartial && this.#leave !== null) this.#fetchIncluded(found);
    // A list that was made anew may be as it was, and so may the begin of one that has changed.
    const isWhole = this.#args.limit === null && rows === plan?.local?.rows;
    const isOther = isWhole && !this.#isAnew;
    const isSame = rows === this.#shown || (!isOther && isEqualList(rows, before));
    this.#isAnew = false;
    this.#shown = rows;
    const next: Snapshot = Object.freeze({
      ...rest,
      rows: isSame ? before : Object.freeze(rows),
      status: this.#findStatus(plan),
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

  #findStatus(plan: Plan | null): LiveStatus {
    const { name, methods } = this.table;
    const isFilled = this.#source.isLoaded() && plan?.local?.isFilled !== false;
    if (plan === null || plan.isWaiting || !isFilled) return 'loading';
    // Types without /query have lists alone that the client can decide.
    if (plan.local === null && !methods.includes('query')) return 'error';
    const list = plan.search?.name;
    const status = this.#source.status(name, list);
    const isThere = list === undefined || this.#source.replica.list(list)?.queryState != null;
    const hasRows = isThere || this.#snapshot.rows.length > 0;
    return status === 'live' && !hasRows ? 'loading' : status;
  }

  #findContents(plan: Plan | null): Contents {
    const { replica } = this.#source;
    const { name: type } = this.table;
    const { position, limit } = this.#args;
    if (plan === null && this.#note === undefined) return NOTHING;
    const { local = null, match = null, order = null, search = null } = plan ?? {};
    const isReady = this.#note === undefined || local?.isFilled === true;
    if (local !== null && this.#source.isLoaded() && isReady) {
      this.#note = undefined;
      const { length: total } = local;
      const end = position + (limit ?? total);
      const rows = position === 0 && end >= total ? local.rows : local.slice(position, end);
      const complete = replica.coverage(type) === 'all' && local.isFilled;
      return { rows, total, complete, approximate: false };
    }
    const noted = this.#note && findNoted(this.#note, type, replica, match);
    const list: KnownList | undefined = search === null ? noted : replica.list(search.name);
    const written = replica.log.flatMap((write) => (write.type === type ? [write.key] : []));
    // Nobody knows what lies before a list that doesn't begin with the first id.
    const isFirst = position === 0;
    const { rows, total, isApproximate } = overlayRows({
      ids: list?.shown ?? [],
      total: list?.total ?? null,
      length: list?.length ?? 0,
      match: isFirst ? match : null,
      order: isFirst ? order : null,
      // An object may have been known by its id when they were noted.
      written: [...written, ...(list?.answered ?? [])].map((key) => replica.keyOf(type, key)),
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
      // Writes may be of objects before the first row.
      approximate: isApproximate || (!isFirst && written.length > 0),
    };
  }
}
