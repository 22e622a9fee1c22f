import type { JsonObject } from '../../../src/protocol/json.js';
import {
  type ListOptions,
  listCalls,
  noteAnswered,
  openList,
  readList,
} from '../query/server-list.js';
import type { ListSearch, ServerList } from '../store/list-state.js';
import type { Replica } from '../store/replica.js';
import type { Invocation, Response } from '../transport/transport.js';
import type { Outcome } from './outcomes.js';
import { isRefusal, MOST_FAILURES } from './transient.js';

/** The lists of a request, with their calls. */
export interface ListRequest {
  readonly lists: readonly ServerList[];
  readonly calls: readonly Invocation[];
  /** The history of the server's data in which it was made. */
  readonly round: number;
}

/** Objects that came along with a list. */
export interface ListObjects {
  readonly type: string;
  readonly objects: ReadonlyMap<string, JsonObject | null>;
  readonly state: string | null;
}

interface ListContext {
  /** The ends of writes that the response has. */
  readonly outcomes: readonly Outcome[];
  /** Types with writes whose outcomes are unknown. */
  readonly unsettled: ReadonlySet<string>;
}

export interface ListAnswers {
  readonly lists: ReadonlyMap<string, ServerList>;
  readonly objects: readonly ListObjects[];
  /** Ids of lists, by their types. */
  readonly shown: readonly (readonly [type: string, ids: readonly string[]])[];
  /** The type of the first error that may pass. */
  readonly failure: string | null;
  /** A list has come further. */
  readonly hasMoved: boolean;
}

export interface ListPlan extends Omit<ListOptions, 'hasObjects' | 'callId'> {
  /** Calls that the request still has room for, and that it may have at all. */
  readonly room: number;
  readonly maxCalls: number;
  /** Lists of this type have to wait. */
  readonly except?: string | undefined;
}

/** Keeps lists that only the server can decide in step with it, while somebody looks at them. */
export class ListSync {
  readonly #replica: Replica;
  readonly #open: () => Iterable<ListSearch>;
  /** Names of lists that have not been asked for since their types changed. */
  readonly #due = new Set<string>();
  /** Lists that the server refuses, for as long as its session is the same. */
  readonly #refused = new Set<string>();
  /** How often the server has failed at a list, one time after the other. */
  readonly #failures = new Map<string, number>();
  #round = 0;

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

  /** Has a new session: asks once more for refused lists, and takes no answer from before. */
  forget(): void {
    this.#refused.clear();
    this.#round += 1;
  }

  isRefused(name: string): boolean {
    return this.#refused.has(name) || (this.#failures.get(name) ?? 0) >= MOST_FAILURES;
  }

  refuse(name: string): void {
    this.#refused.add(name);
    this.#due.delete(name);
  }

  /** Takes lists into a request, as many as it has room for. */
  plan({ room, maxCalls, except, ...options }: ListPlan): ListRequest {
    const lists: ServerList[] = [];
    const calls: Invocation[] = [];
    for (const list of this.#find()) {
      if (list.type === except) continue;
      const callId = `list${lists.length}`;
      const isPartial = this.#replica.coverage(list.type) === 'known';
      let more = listCalls(list, { ...options, callId, hasObjects: isPartial });
      // Objects that don't come along are asked for by their ids.
      if (more.length > maxCalls) more = listCalls(list, { ...options, callId, hasObjects: false });
      if (calls.length + more.length > room) break;
      lists.push(list);
      calls.push(...more);
      this.#due.delete(list.name);
    }
    return { lists, calls, round: this.#round };
  }

  /**
   * Reads the answers about the lists of a request. Writes that it has answered show in all other
   * lists until an answer about these has come. Lists of `unsettled` types are asked for again.
   */
  read(
    request: ListRequest | null,
    response: Response,
    { outcomes, unsettled }: ListContext,
  ): ListAnswers {
    const next = new Map<string, ServerList>();
    for (const list of this.#all()) {
      const keys = outcomes.flatMap(({ isMade, write }) =>
        isMade && write.type === list.type ? [write.key] : [],
      );
      if (keys.length > 0) next.set(list.name, noteAnswered(list, keys));
    }
    const objects: ListObjects[] = [];
    let failure: string | null = null;
    let hasMoved = false;
    for (const [index, list] of (request?.lists ?? []).entries()) {
      // It was lost since the request, or belongs to another history.
      const isOld = (this.#replica.list(list.name) ?? list) !== list;
      if (request?.round !== this.#round || isOld || unsettled.has(list.type)) {
        this.#due.add(list.name);
        continue;
      }
      const result = readList(next.get(list.name) ?? list, `list${index}`, response);
      const { progress, error = 'serverFail' } = result;
      objects.push({ type: list.type, objects: result.objects, state: result.state });
      next.set(list.name, result.list);
      if (progress === 'failed') {
        if (this.#fail(list.name, error)) failure ??= error;
        continue;
      }
      this.#failures.delete(list.name);
      hasMoved ||= progress === 'done' || result.list.ids.length > list.ids.length;
      if (progress === 'goes on') this.#due.add(list.name);
    }
    const shown = [...next.values()].map((list) => [list.type, list.shown] as const);
    return { lists: next, objects, shown, failure, hasMoved };
  }

  /**
   * Returns whether the failure of a list holds the others up. A list that fails again and again is
   * asked for when its type changes, and not before.
   */
  #fail(name: string, error: string): boolean {
    const count = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, count);
    if (isRefusal(error)) this.refuse(name);
    else if (count < MOST_FAILURES) this.#due.add(name);
    return this.#due.has(name);
  }

  /** Returns all lists, with the open ones that no answer has told of yet. */
  #all(): readonly ServerList[] {
    const unknown = [...this.#open()].filter(({ name }) => this.#replica.list(name) === undefined);
    return [...this.#replica.lists, ...unknown.map(openList)];
  }

  #find(): readonly ServerList[] {
    return [...this.#open()].flatMap((search) => {
      const { name } = search;
      if (!this.#due.has(name) || this.#refused.has(name)) return [];
      return [this.#replica.list(name) ?? openList(search)];
    });
  }
}
