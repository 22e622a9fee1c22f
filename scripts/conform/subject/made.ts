import { asMap, type JsonMap } from '../client/json.js';

/** What a user made on the server and did not destroy: all that a run may remove again. */
export class Made {
  readonly #ids = new Map<string, Set<string>>();

  /** Takes note of an answered call, whichever it was. */
  heard(name: string, response: JsonMap): void {
    const [type = '', verb] = name.split('/');
    const { accountId, created, destroyed } = response;
    if ((verb !== 'set' && verb !== 'copy') || typeof accountId !== 'string') return;
    const ids = this.#of(type, accountId);
    for (const object of Object.values(asMap(created))) {
      const { id } = asMap(object);
      if (typeof id === 'string') ids.add(id);
    }
    if (Array.isArray(destroyed)) for (const id of destroyed) ids.delete(String(id));
  }

  /** Ids of a type that are there still, as far as is known, oldest first. */
  ids(type: string, accountId: string): readonly string[] {
    return [...this.#of(type, accountId)];
  }

  forget(type: string, accountId: string, ids: Iterable<string>): void {
    const known = this.#of(type, accountId);
    for (const id of ids) known.delete(id);
  }

  #of(type: string, accountId: string): Set<string> {
    const key = `${type} ${accountId}`;
    const ids = this.#ids.get(key) ?? new Set();
    this.#ids.set(key, ids);
    return ids;
  }
}
