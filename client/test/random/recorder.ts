import type { LiveQuery } from '../../src/index.js';
import type { Device } from './device.js';
import { LISTS, type ListSpec, listRows } from './lists.js';
import { markOf, tagsOf } from './marks.js';
import { canonical } from './model.js';
import type { AnyRow, TypeName } from './schema.js';
import { TYPE_NAMES } from './schema.js';
import type { Tab } from './tab.js';
import type { World } from './world.js';

interface ShownList {
  readonly spec: ListSpec;
  readonly query: LiveQuery<AnyRow>;
  /** As it was looked at last; null: not yet. */
  rows: readonly AnyRow[] | null;
  /** It had the right rows once: it is past what its store had noted of it. */
  wasRight: boolean;
}

/** Something that is right only where the write of a mark was refused. */
interface Suspicion {
  readonly marks: readonly string[];
  readonly text: string;
}

/**
 * Looks at each state that a client shows of an account: in all lists at once, whenever one of
 * them is told to be another.
 */
export class Recorder {
  readonly accountId: string;
  readonly #world: World;
  readonly #device: Device;
  readonly #tab: Tab;
  /** The keys of objects by their ids: they stay. */
  readonly #keys: Map<string, string> | null;
  readonly #lists: readonly ShownList[];
  readonly #leave: readonly (() => void)[];
  readonly #suspicions: Suspicion[] = [];
  #rows = new Map<string, AnyRow>();
  #isOver = false;

  constructor(world: World, device: Device, tab: Tab, accountId: string) {
    this.#world = world;
    this.#device = device;
    this.#tab = tab;
    this.accountId = accountId;
    // Tabs learn at different times that the user has lost an account, and, without keys of calls
    // or room in the store, which objects are their own.
    const { hasOnceKeys, fillsStores } = world.profile;
    const isOwn = this.isLeft || !hasOnceKeys || fillsStores;
    this.#keys = isOwn && device.browser !== null ? new Map() : null;
    const account = tab.client.account(accountId);
    this.#lists = LISTS.map((spec) => {
      const { type, filter, sort, position, limit } = spec;
      const query = account[type].live({
        ...(filter && { filter }),
        ...(sort && { sort: sort as `-${string}`[] }),
        ...(position !== undefined && { position }),
        ...(limit !== undefined && { limit }),
      });
      return { spec, query, rows: null, wasRight: false };
    });
    let isReady = false;
    this.#leave = this.#lists.map(({ query }) =>
      query.subscribe(() => {
        if (isReady) this.look();
      }),
    );
    isReady = true;
  }

  /** Ends the checks: the client is gone, or the account is. */
  end(): void {
    this.#isOver = true;
    for (const leave of this.#leave) leave();
  }

  /** Returns the rows of a type as they are shown. */
  rows(type: TypeName): readonly AnyRow[] {
    return this.#lists.find(({ spec }) => spec.type === type)?.query.getSnapshot().rows ?? [];
  }

  /** Returns the rows of a type that any list shows. */
  allRows(type: TypeName): readonly AnyRow[] {
    const rows = this.#lists.flatMap(({ spec, query }) =>
      spec.type === type ? query.getSnapshot().rows : [],
    );
    return [...new Set(rows)];
  }

  /** Returns all that is shown, as one text. */
  get view(): string {
    return canonical(TYPE_NAMES.map((type) => [...this.rows(type)].sort(byKey)));
  }

  get lists(): readonly ShownList[] {
    return this.#lists;
  }

  /** Looks at what is shown now. */
  look(): void {
    if (this.#isOver || !this.#tab.isRead) return;
    const lists = this.#lists.map(({ query }) => query.getSnapshot().rows);
    const isSame = this.#lists.every(({ rows }, at) => rows === lists[at]);
    if (isSame) return;
    for (const [at, list] of this.#lists.entries()) {
      this.#checkIdentity(list, lists[at] ?? []);
      list.rows = lists[at] ?? [];
    }
    for (const list of this.#lists) this.#checkList(list);
    this.#checkRows();
    this.#device.noteView(this.accountId, this.view);
  }

  /** Fails where something that was shown is gone, and no write that was refused explains it. */
  judge(): void {
    const { refused, open } = this.#world.marks;
    // Among tabs, a refusal is told once it is durable.
    if (!this.#tab.isQuiet) return;
    for (const { marks, text } of this.#suspicions.splice(0))
      if (!marks.some((mark) => refused.has(mark) || open.has(mark))) this.#fail(text);
  }

  /**
   * Returns whether the account may go back to an earlier state. A tab has lost its turn, others
   * know already that the user has lost the account, or a full store lacks what others have.
   */
  get #isLoose(): boolean {
    const { isRobbed, hasLost, wasFull, browser } = this.#device;
    return isRobbed || (browser !== null && (hasLost || wasFull || this.isLeft));
  }

  /** The user may lose the account. */
  get isLeft(): boolean {
    return this.accountId === this.#world.place.shared;
  }

  #fail(text: string): void {
    this.#world.fail(`${this.#device.name}: ${text}`);
  }

  /** Rows that are as they were are the same ones. */
  #checkIdentity({ spec, rows }: ShownList, next: readonly AnyRow[]): void {
    if (rows === null) return;
    const before = new Map(rows.map((row) => [row.$key, row]));
    for (const row of next) {
      const old = before.get(row.$key);
      if (old === undefined || old === row) continue;
      if (canonical(old) === canonical(row)) this.#fail(`${spec.type} ${row.$key} is another row`);
    }
    const isSame = next.length === rows.length && next.every((row, at) => row === rows[at]);
    if (isSame && next !== rows)
      this.#fail(`the list ${JSON.stringify(spec)} is another one: ${canonical(next)}`);
  }

  #checkList(list: ShownList): void {
    const { spec, query } = list;
    const rows = list.rows ?? [];
    if (this.#world.profile.known.includes(spec.type)) {
      this.#checkPart(spec, rows);
      return;
    }
    const all = this.rows(spec.type);
    const expected = listRows(spec, all);
    if (rows.length === expected.length && rows.every((row, at) => row === expected[at])) {
      list.wasRight = true;
      return;
    }
    const { status } = query.getSnapshot();
    // Rules of texts are loaded when the first list needs them. Until then it shows what was noted.
    if (status === 'loading' && (rows.length === 0 || !list.wasRight)) return;
    const name = (each: readonly AnyRow[]) => each.map(({ $key }) => $key).join();
    this.#fail(
      `the list ${JSON.stringify(spec)} has ${name(rows)} in the place of ${name(expected)}`,
    );
  }

  /** The server decides which rows the list has; the end compares them. */
  #checkPart(spec: ListSpec, rows: readonly AnyRow[]): void {
    const text = JSON.stringify(spec);
    if (rows.length > (spec.limit ?? rows.length)) this.#fail(`${text} has ${rows.length} rows`);
    const keys = new Set(rows.map(({ $key }) => $key));
    if (keys.size < rows.length) this.#fail(`${text} shows a row twice`);
    for (const { spec: other, rows: others } of this.#lists) {
      if (other.type !== spec.type) continue;
      const byKey = new Map((others ?? []).map((row) => [row.$key, row]));
      const another = rows.find((row) => (byKey.get(row.$key) ?? row) !== row);
      if (another !== undefined) this.#fail(`${text} shows ${another.$key} as another row`);
    }
  }

  #checkRows(): void {
    const shown = new Map<string, AnyRow>();
    const seen = new Set<string>();
    const { profile, marks } = this.#world;
    const { isRobbed } = this.#device;
    for (const type of TYPE_NAMES) {
      for (const row of this.rows(type)) {
        const mark = markOf(type, row);
        // Objects are made once more on a server that has gone back. A tab that was robbed may read
        // an object that another tab has made.
        const isKnown = profile.hasOnceKeys && !isRobbed;
        const isOnce = isKnown && mark !== null && !marks.open.has(mark);
        for (const name of new Set([row.$key, row.id, ...(isOnce ? [mark] : [])])) {
          if (seen.has(name)) this.#fail(`${type} ${name} is shown twice`);
          seen.add(name);
        }
        if (!Object.isFrozen(row)) this.#fail(`${type} ${row.id} isn't frozen`);
        this.#checkKey(type, row);
        this.#checkTags(type, row);
        shown.set(row.$key, row);
      }
      this.#checkGone(type, shown);
    }
    this.#rows = shown;
  }

  #checkKey(type: TypeName, { id, $key }: AnyRow): void {
    if (id === $key && id.startsWith('~')) return;
    const all = this.#device.keysOf(this.accountId);
    const keys = this.#keys ?? all;
    const known = keys.get(id);
    const { isRobbed, hasLost, browser, wasFull } = this.#device;
    const { hasOnceKeys } = this.#world.profile;
    // Without keys of calls, an object may come before its client knows that it is its own. A tab
    // that was robbed may know that alone, and so may one whose store has no room to tell others.
    const isLate = isRobbed || !hasOnceKeys || (browser !== null && wasFull);
    const isFound = hasOnceKeys ? isLate && known === id : isRobbed || known === id;
    if (known !== undefined && known !== $key && !isFound && !hasLost)
      this.#fail(`the key of ${type} ${id} was ${known} and is ${$key}`);
    keys.set(id, $key);
    all.set(id, $key);
  }

  /** A tag that was shown is shown for as long as there is the object. */
  #checkTags(type: TypeName, row: AnyRow): void {
    const before = this.#rows.get(row.$key);
    if (before === undefined || this.#isLoose) return;
    const tags = new Set(tagsOf(row));
    for (const tag of tagsOf(before))
      if (!tags.has(tag))
        this.#suspicions.push({ marks: [tag], text: `${type} ${row.$key} has lost ${tag}` });
  }

  #checkGone(type: TypeName, shown: ReadonlyMap<string, AnyRow>): void {
    if (this.#isLoose) return;
    const marks = new Set(this.rows(type).map((row) => markOf(type, row)));
    for (const [key, row] of this.#rows) {
      if (shown.has(key) || !hasType(row, type)) continue;
      const mark = markOf(type, row);
      if (marks.has(mark)) continue;
      const { marks: all, isUndone } = this.#world;
      if (all.isDoomed(type, mark) || all.hidden.has(mark ?? '') || isUndone) continue;
      this.#suspicions.push({ marks: [mark ?? ''], text: `${type} ${key} (${mark}) is gone` });
    }
  }
}

function hasType(row: AnyRow, type: TypeName): boolean {
  const member = { Gadget: 'tags', Book: 'heading', Line: 'amount', Post: 'what' }[type];
  return member in row;
}

function byKey(one: AnyRow, other: AnyRow): number {
  return one.$key < other.$key ? -1 : 1;
}
