import { afterAll, beforeAll } from 'vitest';
import { BLOB, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { EXAMPLES, sharedProject } from '../support/shared-project.js';
import { type Calls, calls } from './calls.js';

export interface ServedExamples extends Calls {
  /** The copy of the project that is served. */
  readonly root: string;
  readonly fixtures: Fixtures;
}

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
