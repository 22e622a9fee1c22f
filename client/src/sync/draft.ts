import type { JsonObject } from '../../../src/protocol/json.js';
import type { ServerList } from '../store/list-state.js';
import type { Change, Coverage, Replica, ServerObjects } from '../store/replica.js';
import type { ListObjects } from './list-sync.js';

/** A commit of all that the answers of a request change. It is put together part by part. */
export class Draft {
  readonly #replica: Replica;
  readonly #objects: Map<string, Map<string, JsonObject | null>>;
  readonly #early = new Map<string, ReadonlySet<string>>();
  readonly cursors = new Map<string, string | null>();
  readonly coverage = new Map<string, Coverage>();
  readonly lists = new Map<string, ServerList>();
  /** Types whose changes came; true: there are no further ones. */
  readonly pulled = new Map<string, boolean>();

  constructor(replica: Replica, { objects, aliases }: Change) {
    this.#replica = replica;
    this.#objects = new Map([...(objects ?? [])].map(([type, some]) => [type, new Map(some)]));
    for (const { type, id } of aliases?.values() ?? []) this.noteEarly(type, [id]);
  }

  get change(): Change {
    const { cursors, coverage, lists } = this;
    return { objects: this.#objects, early: this.#early, cursors, coverage, lists };
  }

  /** Returns the objects of a type that have come; null: gone. */
  objects(type: string): ServerObjects {
    return this.#objects.get(type) ?? new Map();
  }

  take(type: string, objects: ServerObjects): void {
    const ofType = this.#objects.get(type) ?? new Map<string, JsonObject | null>();
    for (const [id, object] of objects) ofType.set(id, object);
    this.#objects.set(type, ofType);
  }

  /** Takes objects that came along besides the changes of their type. */
  takeEarly({ type, objects, state }: ListObjects): void {
    this.take(type, objects);
    const cursor = this.cursors.get(type) ?? this.#replica.cursor(type);
    if (state === null || state !== cursor) this.noteEarly(type, objects.keys());
  }

  /** Returns the objects that are ahead of their type's state: /changes may not tell of them. */
  early(type: string): ReadonlySet<string> {
    return this.#early.get(type) ?? this.#replica.early(type);
  }

  setEarly(type: string, ids: Iterable<string>): void {
    this.#early.set(type, new Set(ids));
  }

  /** Notes objects of which the client has heard nothing before. */
  noteEarly(type: string, ids: Iterable<string>): void {
    const unheard = [...ids].filter((id) => !this.#replica.has(type, id));
    if (unheard.length > 0) this.setEarly(type, [...this.early(type), ...unheard]);
  }
}
