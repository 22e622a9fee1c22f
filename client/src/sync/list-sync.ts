import type { JsonObject } from '../../../src/protocol/json.js';
import {
  type ListOptions,
  type ListSearch,
  listCalls,
  noteAnswered,
  openList,
  readList,
  type ServerList,
} from '../query/server-list.js';
import type { Replica } from '../store/replica.js';
import type { Invocation, Response } from '../transport/transport.js';
import type { Outcome } from './outcomes.js';

/** The lists of a request, with their calls. */
export interface ListRequest {
  readonly lists: readonly ServerList[];
  readonly calls: readonly Invocation[];
}

export interface ListAnswers {
  readonly lists: ReadonlyMap<string, ServerList>;
  readonly objects: readonly (readonly [type: string, ReadonlyMap<string, JsonObject | null>])[];
  /** Ids of lists, by their types. */
  readonly shown: readonly (readonly [type: string, ids: readonly string[]])[];
  /** The errors of lists that the server gave no answer about. */
  readonly failures: readonly (readonly [name: string, error: string])[];
  /** A list has come further. */
  readonly hasMoved: boolean;
}

/** Keeps the lists that only the server can decide in step with it, while somebody looks at them. */
export class ListSync {
  readonly #replica: Replica;
  readonly #open: () => Iterable<ListSearch>;
  /** Names of lists that have not been asked for since their types changed. */
  readonly #due = new Set<string>();
  /** Lists that the server refuses, for as long as its session is the same. */
  readonly #refused = new Set<string>();

  constructor(replica: Replica, open: () => Iterable<ListSearch>) {
    this.#replica = replica;
    this.#open = open;
  }

  /** Returns whether an open list has to be asked for. */
  get isDue(): boolean {
    return this.#find().length > 0;
  }

  /** Has the lists of these types asked for. */
  note(types: ReadonlySet<string>): void {
    for (const { name, type } of this.#open()) if (types.has(type)) this.#due.add(name);
  }

  want(name: string): void {
    this.#due.add(name);
  }

  /** A list has been asked for elsewhere. */
  drop(name: string): void {
    this.#due.delete(name);
  }

  /** Asks once more for lists that the server has refused. */
  forget(): void {
    this.#refused.clear();
  }

  isRefused(name: string): boolean {
    return this.#refused.has(name);
  }

  refuse(name: string): void {
    this.#refused.add(name);
    this.#due.delete(name);
  }

  /** Takes lists into a request, but those of a type, as many as it has room for. */
  plan(room: number, options: Omit<ListOptions, 'hasObjects'>, except?: string): ListRequest {
    const lists: ServerList[] = [];
    const calls: Invocation[] = [];
    for (const list of this.#find()) {
      if (list.type === except) continue;
      const hasObjects = this.#replica.coverage(list.type) === 'known';
      const more = listCalls(list, { ...options, hasObjects });
      if (calls.length + more.length > room) break;
      lists.push(list);
      calls.push(...more);
      this.#due.delete(list.name);
    }
    return { lists, calls };
  }

  /**
   * Reads the answers about the lists of a request. Writes that it has answered show in all other
   * lists until an answer about these has come.
   */
  read(request: ListRequest | null, response: Response, outcomes: readonly Outcome[]): ListAnswers {
    const lists = request?.lists ?? [];
    const answered = (list: ServerList): readonly string[] =>
      outcomes.flatMap(({ isMade, write }) =>
        isMade && write.type === list.type ? [write.key] : [],
      );
    const next = new Map<string, ServerList>();
    const objects: ListAnswers['objects'][number][] = [];
    const failures: ListAnswers['failures'][number][] = [];
    let hasMoved = false;
    for (const list of lists) {
      // It has been lost since the request.
      if ((this.#replica.list(list.name) ?? list) !== list) {
        this.#due.add(list.name);
        continue;
      }
      const result = readList(list, response);
      const { progress, error = 'serverFail' } = result;
      objects.push([list.type, result.objects]);
      if (progress === 'failed') {
        failures.push([list.name, error]);
        next.set(list.name, noteAnswered(result.list, answered(list)));
        continue;
      }
      next.set(list.name, result.list);
      hasMoved ||= progress === 'done' || result.list.ids.length > list.ids.length;
      if (progress === 'goes on') this.#due.add(list.name);
    }
    for (const { name } of this.#open()) {
      const list = this.#replica.list(name);
      if (list === undefined || next.has(name)) continue;
      const keys = answered(list);
      if (keys.length > 0) next.set(name, noteAnswered(list, keys));
    }
    const shown = [...next.values()].map((list) => [list.type, list.shown] as const);
    return { lists: next, objects, shown, failures, hasMoved };
  }

  #find(): readonly ServerList[] {
    return [...this.#open()].flatMap((search) => {
      const { name } = search;
      if (!this.#due.has(name) || this.#refused.has(name)) return [];
      return [this.#replica.list(name) ?? openList(search)];
    });
  }
}
