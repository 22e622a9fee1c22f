import { afterAll, beforeAll, expect } from 'vitest';
import { BLOB, type Client, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { EXAMPLES, sharedProject } from '../support/shared-project.js';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Answer = any;

export interface ServedExamples {
  /** The copy of the project that is served. */
  readonly root: string;
  readonly fixtures: Fixtures;
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

/** All examples in one copy of the project, generated and served as a user would. */
export function useExamples(
  env: () => Promise<Record<string, string>> = async () => ({}),
): () => ServedExamples {
  let server: RunningServer | undefined;
  let served: ServedExamples | undefined;
  beforeAll(async () => {
    const root = await sharedProject();
    server = await startServer({ project: root, env: await env() });
    const fixtures = await makeFixtures(server);
    const capabilities = EXAMPLES.map((name) => `https://example.com/jmap/${name}`);
    // An account of its own: the suite of the types empties the others.
    const accountId = await server.tool('scripts/account', [
      'create',
      '--name',
      'E',
      '--user',
      'u1',
    ]);
    const client = fixtures.u1.with([CORE, BLOB, ...capabilities]);
    served = { root, fixtures, ...calls(client, accountId) };
  }, 600_000);
  afterAll(async () => {
    await server?.remove();
  });
  return () => {
    if (served === undefined) throw new Error('The examples are served inside tests only.');
    return served;
  };
}

function calls(client: Client, accountId: string): Omit<ServedExamples, 'root' | 'fixtures'> {
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
