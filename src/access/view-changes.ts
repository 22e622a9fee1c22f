import { markedForms } from '../capability/scopes.js';
import type {
  AccessRecord,
  ChangeKind,
  ScopedChange,
  ScopedObject,
  ViewRecord,
} from '../store/port.js';
import type { HeldScopes } from './held-scopes.js';

/**
 * A moment of the history of a type: all records up to `number` have happened. `upTo`: the last one
 * is an access record that has happened to objects with ids up to this one alone.
 */
export interface Moment {
  readonly number: number;
  readonly upTo?: string;
}

export interface ViewHistory {
  /** The scopes of the user just before the first of the records. */
  readonly held: HeldScopes;
  /** Ascending, without gaps. */
  readonly records: readonly ViewRecord[];
  /** Set where the first record is an access record that has happened in part. */
  readonly upTo?: string;
  /** Objects have rights (RFC 9670): a right that changes is a change of its object. */
  readonly hasRights?: boolean;
  /** Returns all objects that had one of the scopes just before the record of this number. */
  findObjects(number: number, scopes: readonly string[]): readonly ScopedObject[];
}

/** The objects that have changed in a user's view, and how far. */
export interface ViewChanges {
  /** Null where not one record fits. */
  readonly end: Moment | null;
  readonly kinds: ReadonlyMap<string, ChangeKind>;
}

/** An object that a record has touched, as the user sees it. */
interface Seen {
  readonly wasVisible: boolean;
  isVisible: boolean;
  hasChanged: boolean;
}

/**
 * Returns what has changed in a user's view: objects that entered it, that changed within it and
 * that left it. Names no object that the user could see at neither end. It takes records in their
 * order as long as there are at most `maximum` of these objects. An access record that is too large
 * for the page is taken in part, in order of ids.
 */
export function changesOfView(history: ViewHistory, maximum: number): ViewChanges {
  const walk = new ViewWalk(history.held, maximum);
  let end: Moment | null = null;
  for (const [index, record] of history.records.entries()) {
    const from = index === 0 ? history.upTo : undefined;
    const reached =
      record.kind === 'access'
        ? walk.takeAccess(record, history, from)
        : walk.takeChange(record)
          ? { number: record.number }
          : null;
    if (reached === null) break;
    end = reached;
    if (reached.upTo !== undefined) break;
  }
  return { end, kinds: walk.kinds };
}

class ViewWalk {
  readonly #start: HeldScopes;
  readonly #now: HeldScopes;
  readonly #maximum: number;
  readonly #seen = new Map<string, Seen>();
  /** Objects that differ from the view at the beginning. */
  #count = 0;

  constructor(held: HeldScopes, maximum: number) {
    this.#start = held;
    this.#now = held.copy();
    this.#maximum = maximum;
  }

  get kinds(): ReadonlyMap<string, ChangeKind> {
    const kinds = new Map<string, ChangeKind>();
    for (const [id, seen] of this.#seen) {
      const kind = kindOf(seen);
      if (kind !== null) kinds.set(id, kind);
    }
    return kinds;
  }

  /** Returns false where the page has no room for it. */
  takeChange({ kind, objectId, scopes, scopesBefore }: ScopedChange): boolean {
    const before = kind === 'created' ? [] : (scopesBefore ?? scopes);
    const seen = this.#find({ id: objectId, scopes: before });
    return this.#put(objectId, { ...seen, isVisible: this.#now.meets(scopes), hasChanged: true });
  }

  /** `from`: it has happened to objects up to this id. Returns null where none of it fits. */
  takeAccess(record: AccessRecord, history: ViewHistory, from: string | undefined): Moment | null {
    const { number, changes } = record;
    const moved = changes.flatMap((change) => this.#now.apply(change));
    if (moved.length === 0) return { number };
    const scopes = [...new Set(moved)].flatMap((scope) => [scope, ...markedForms(scope)]);
    const affected = [...history.findObjects(number, scopes)].sort((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    let last: string | null = null;
    for (const object of affected) {
      const isVisible = this.#now.meets(object.scopes);
      if (from !== undefined && object.id <= from) {
        this.#seen.set(object.id, { wasVisible: isVisible, isVisible, hasChanged: false });
        continue;
      }
      const seen = this.#find(object);
      // It is told, though it looks as before: a client may have asked for it in between.
      const isTold = history.hasRights === true || !seen.isVisible;
      const hasChanged = seen.hasChanged || (isVisible && isTold);
      if (!this.#put(object.id, { ...seen, isVisible, hasChanged })) {
        return last === null ? null : { number, upTo: last };
      }
      last = object.id;
    }
    return { number };
  }

  #find({ id, scopes }: ScopedObject): Seen {
    const known = this.#seen.get(id);
    if (known !== undefined) return known;
    const wasVisible = this.#start.meets(scopes);
    return { wasVisible, isVisible: wasVisible, hasChanged: false };
  }

  #put(id: string, seen: Seen): boolean {
    const known = this.#seen.get(id);
    const before = known === undefined || kindOf(known) === null ? 0 : 1;
    const count = this.#count - before + (kindOf(seen) === null ? 0 : 1);
    if (count > this.#maximum) return false;
    this.#seen.set(id, seen);
    this.#count = count;
    return true;
  }
}

function kindOf({ wasVisible, isVisible, hasChanged }: Seen): ChangeKind | null {
  if (wasVisible) return isVisible ? (hasChanged ? 'updated' : null) : 'destroyed';
  return isVisible ? 'created' : null;
}
