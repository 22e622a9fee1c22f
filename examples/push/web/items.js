// The page's copy of the list. It asks what changed since its state (RFC 8620 5.2).

import { SignedOut } from './jmap.js';

const LIST = 'urn:example:list';
/** How long it waits after a failure, in ms. */
const PAUSE = 2000;

export class Items {
  #jmap;
  #accountId;
  #copy = new Map();
  #state = null;
  #running = null;
  #isDue = false;
  #isClosed = false;

  constructor(jmap) {
    this.#jmap = jmap;
    this.#accountId = jmap.session.primaryAccounts[LIST];
  }

  get all() {
    return [...this.#copy.values()];
  }

  /** Takes the `changed` of a StateChange, or null: true where the copy is old. */
  isBehind(changed) {
    const state = changed?.[this.#accountId]?.Item;
    return changed === null || (state !== undefined && state !== this.#state);
  }

  add(text) {
    return this.#call('Item/set', { create: { k: { text } } });
  }

  /** Brings the copy up to date. Calls meanwhile share the next run. */
  refresh() {
    this.#isDue = true;
    this.#running ??= this.#refreshWhileDue().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #refreshWhileDue() {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      try {
        if (this.#state === null) await this.#readAll();
        else await this.#readChanges();
      } catch (error) {
        if (error instanceof SignedOut) throw error;
        // The stream tells of a change once. So nothing else would bring it again.
        this.#isDue = true;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  /** Ends a refresh that goes on trying. */
  close() {
    this.#isClosed = true;
  }

  async #readAll() {
    const { list, state } = await this.#call('Item/get', { ids: null });
    this.#copy = new Map(list.map((item) => [item.id, item]));
    this.#state = state;
  }

  async #readChanges() {
    try {
      const changes = await this.#call('Item/changes', {
        sinceState: this.#state,
        maxChanges: 100,
      });
      const ids = [...changes.created, ...changes.updated];
      const { list } = await this.#call('Item/get', { ids });
      for (const item of list) this.#copy.set(item.id, item);
      for (const id of changes.destroyed) this.#copy.delete(id);
      this.#state = changes.newState;
      this.#isDue ||= changes.hasMoreChanges;
    } catch (error) {
      if (error.type !== 'cannotCalculateChanges') throw error;
      this.#state = null;
      this.#isDue = true;
    }
  }

  #call(method, args) {
    return this.#jmap.call(LIST, method, { accountId: this.#accountId, ...args });
  }
}
