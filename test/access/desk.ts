import { expect } from 'vitest';
import type { Client } from '../support/client.js';
import type { Person } from './rules-rig.js';

/** One user's calls of the account. */
export class Desk {
  readonly #person: Person;
  readonly #accountId: string;

  constructor(person: Person, accountId: string) {
    this.#person = person;
    this.#accountId = accountId;
  }

  get client(): Client {
    return this.#person.client;
  }

  get id(): string {
    return this.#person.id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
  async call(name: string, args: object = {}): Promise<any> {
    const whole = { accountId: this.#accountId, ...args };
    const [answered, response] = await this.#person.client.call(name, whole);
    return answered === name ? response : { error: response['type'], ...response };
  }

  async create(type: string, object: object): Promise<string> {
    const { created, notCreated } = await this.call(`${type}/set`, { create: { k: object } });
    expect(notCreated).toBeNull();
    return created.k.id;
  }

  /** Returns the SetError of one update; null where it was made. */
  async update(type: string, id: string, patch: object) {
    const { notUpdated } = await this.call(`${type}/set`, { update: { [id]: patch } });
    return notUpdated?.[id] ?? null;
  }

  async destroy(type: string, id: string) {
    const { notDestroyed } = await this.call(`${type}/set`, { destroy: [id] });
    return notDestroyed?.[id] ?? null;
  }

  /** Returns the ids that the user sees, as /get and /query agree. */
  async sees(type: string): Promise<readonly string[]> {
    const { list } = await this.call(`${type}/get`);
    const ids = list.map(({ id }: { readonly id: string }) => id).sort();
    const { ids: found, total } = await this.call(`${type}/query`, { calculateTotal: true });
    expect([...found].sort()).toEqual(ids);
    expect(total).toBe(ids.length);
    return ids;
  }

  /** Returns what has changed for the user in a type while `work` was done. */
  async changes(type: string, work: () => Promise<unknown>): Promise<object> {
    const { state } = await this.call(`${type}/get`, { ids: [] });
    const { queryState } = await this.call(`${type}/query`);
    await work();
    const { created, updated, destroyed } = await this.call(`${type}/changes`, {
      sinceState: state,
    });
    const query = await this.call(`${type}/queryChanges`, { sinceQueryState: queryState });
    const added = query.added.map(({ id }: { readonly id: string }) => id);
    expect([...added].sort()).toEqual([...created].sort());
    expect([...query.removed].sort()).toEqual([...destroyed].sort());
    return { created: [...created].sort(), updated, destroyed: [...destroyed].sort() };
  }
}
