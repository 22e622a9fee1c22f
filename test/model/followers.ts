import type { ModelType } from '../../src/descriptor/model.js';
import type { Call } from '../support/client.js';
import type { JsonMap } from '../support/json.js';
import { named, type Shelf, type Stored } from './account.js';
import { agree, agreeOn } from './agree.js';

/** A client that keeps a copy of all objects by /changes and /get (RFC 8620 5.2). */
export class Follower {
  readonly #type: ModelType;
  readonly #accountId: string;
  readonly #copy: Map<string, Stored>;
  readonly #wanted = new Set<string>();
  #state: string;

  /** Begins with what is there now. */
  constructor(type: ModelType, accountId: string, { state, objects }: Shelf) {
    this.#type = type;
    this.#accountId = accountId;
    this.#state = String(state);
    this.#copy = new Map(objects);
    // Times that were not told yet.
    for (const id of objects.keys()) this.#wanted.add(id);
  }

  /** One page, and what it and earlier ones said is new. */
  calls(maxChanges: number | null): Call[] {
    const { name } = this.#type;
    const accountId = this.#accountId;
    const reference = (path: string) => ({ resultOf: 'c', name: `${name}/changes`, path });
    return [
      [`${name}/changes`, { accountId, sinceState: this.#state, maxChanges }, 'c'],
      [`${name}/get`, { accountId, '#ids': reference('/created') }, 'n'],
      [`${name}/get`, { accountId, '#ids': reference('/updated') }, 'u'],
      [`${name}/get`, { accountId, ids: [...this.#wanted] }, 'w'],
    ];
  }

  /** Takes the page in; whether it was the last one. */
  read([page = {}, ...gets]: readonly JsonMap[]): boolean {
    const what = `${this.#type.name}/changes, a client's copy`;
    for (const id of page['created'] as string[]) {
      agreeOn(`${what}: created is new to it`, !this.#copy.has(id), page);
      this.#copy.set(id, {});
    }
    for (const id of page['updated'] as string[])
      agreeOn(`${what}: updated is known to it`, this.#copy.has(id), page);
    for (const get of gets) {
      for (const one of get['list'] as Stored[]) {
        const id = String(one[named(this.#type, 'id')]);
        if (this.#copy.has(id)) this.#copy.set(id, one);
      }
    }
    for (const id of page['destroyed'] as string[]) {
      this.#copy.delete(id);
      this.#wanted.delete(id);
    }
    this.#state = String(page['newState']);
    return page['hasMoreChanges'] === false;
  }

  /** The copy has what the account has. */
  agree({ state, objects }: Shelf): void {
    const what = `${this.#type.name}/changes, a client's copy of all pages`;
    agree(`${what}: state`, this.#state, String(state));
    agree(what, Object.fromEntries(this.#copy), Object.fromEntries(objects));
    this.#wanted.clear();
  }
}

/** The results of a query as a client keeps them, whole and only from the beginning (5.6). */
export class QueryCache {
  readonly type: string;
  readonly question: JsonMap;
  ids: readonly string[];
  queryState: string;

  constructor(type: string, question: JsonMap, response: JsonMap) {
    this.type = type;
    this.question = question;
    this.ids = response['ids'] as string[];
    this.queryState = String(response['queryState']);
  }

  calls(more: JsonMap): [Call, Call] {
    const since = { ...this.question, sinceQueryState: this.queryState };
    const again = { ...this.question, calculateTotal: true };
    return [
      [`${this.type}/queryChanges`, { ...since, ...more }, 'c'],
      [`${this.type}/query`, again, 'q'],
    ];
  }

  /** Splices what changed into the copy as 5.6 says: it is what a fresh query has. */
  splice(changes: JsonMap | null, fresh: JsonMap, held: number, more: JsonMap): void {
    const what = `${this.type}/queryChanges, spliced into a copy`;
    const ids = fresh['ids'] as string[];
    if (changes !== null) {
      const removed = changes['removed'] as string[];
      const added = changes['added'] as { id: string; index: number }[];
      const upToId = more['upToId'] ?? null;
      if (upToId === null) agree(what, spliced(this.ids, removed, added, ids.length), ids);
      const start = this.ids.slice(0, held);
      const rest = Array.from({ length: Math.max(0, this.ids.length - held) }, () => null);
      const sparse = spliced([...start, ...rest], removed, added, ids.length);
      // The positions held from the beginning, up to the first that is not; nothing is known of
      // those that upToId cuts off.
      const unknown = sparse.indexOf(null);
      const known = unknown === -1 ? sparse : sparse.slice(0, unknown);
      const end = upToId === null ? known.length : known.indexOf(String(upToId)) + 1;
      agree(`${what} of the first ${held}`, known.slice(0, end), ids.slice(0, end));
      agree(`${what}: newQueryState`, changes['newQueryState'], fresh['queryState']);
    }
    this.ids = ids;
    this.queryState = String(fresh['queryState']);
  }
}

type Sparse = readonly (string | null)[];

/** 5.6: what is held of `removed` out, `added` in one by one, then cut to the new length. */
function spliced(
  ids: Sparse,
  removed: readonly string[],
  added: readonly { id: string; index: number }[],
  total: number,
): Sparse {
  const list = ids.filter((id) => id === null || !removed.includes(id));
  for (const { id, index } of added) list.splice(index, 0, id);
  return list.slice(0, total);
}
