import { expect } from 'vitest';
import type { Client } from '../support/client.js';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Answer = any;

/** Calls of one account, each of which must be answered. */
export interface Calls {
  readonly client: Client;
  readonly accountId: string;
  /** One call: the answer, or `{ error, ... }`. */
  call(name: string, args?: object): Promise<Answer>;
  /** Creates one object that must be accepted: its id and what the server set. */
  create(type: string, object: object): Promise<Answer>;
  /** Updates one object: what the server set, or the SetError. */
  update(type: string, id: string, patch: object): Promise<Answer>;
  /** Destroys one object: undefined, or the SetError. */
  destroy(type: string, id: string): Promise<Answer>;
  read(type: string, id: string): Promise<Answer>;
  ids(type: string, args?: object): Promise<string[]>;
}

/** The report of an update that made the server set nothing but the time of it. */
export const DONE = { updated: expect.any(String) };

/** Returns the calls of a client about an account. */
export function calls(client: Client, accountId: string): Calls {
  const call = async (name: string, args: object = {}): Promise<Answer> => {
    const [answered, response] = await client.call(name, { accountId, ...args });
    return answered === name ? response : { error: response['type'], ...response };
  };
  const set = async (type: string, args: object): Promise<Answer> => call(`${type}/set`, args);
  return {
    client,
    accountId,
    call,
    async create(type, object) {
      const answer = await set(type, { create: { k: object } });
      if (answer.created?.k === undefined) throw new Error(JSON.stringify(answer));
      return answer.created.k;
    },
    async update(type, id, patch) {
      const answer = await set(type, { update: { [id]: patch } });
      return answer.notUpdated?.[id] ?? answer.updated[id];
    },
    async destroy(type, id) {
      const answer = await set(type, { destroy: [id] });
      return answer.notDestroyed?.[id];
    },
    async read(type, id) {
      return (await call(`${type}/get`, { ids: [id] })).list[0];
    },
    async ids(type, args = {}) {
      const answer = await call(`${type}/query`, args);
      if (answer.ids === undefined) throw new Error(JSON.stringify(answer));
      return answer.ids;
    },
  };
}
