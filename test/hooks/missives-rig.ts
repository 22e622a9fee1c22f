import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import type { PostgresqlServer } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

/** Hooks that read and put blobs, query, and leave work to servers: test/hooks/missives.yaml. */
const MISSIVES = 'https://example.com/jmap/missives';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

/** A server of missives.yaml, its client, and what its hooks told the world outside. */
export class Missives {
  readonly fixtures: Fixtures;
  readonly client: Client;
  readonly accountId: string;
  /** The variables that another server of the same data has. */
  readonly env: Readonly<Record<string, string>>;
  server: RunningServer;
  readonly #folder: string;

  constructor(
    server: RunningServer,
    fixtures: Fixtures,
    env: Readonly<Record<string, string>>,
    folder: string,
  ) {
    this.server = server;
    this.env = env;
    this.fixtures = fixtures;
    this.client = this.of(fixtures.u1);
    this.accountId = fixtures.A1;
    this.#folder = folder;
  }

  /** Returns a client that names the capability. */
  of(client: Client): Client {
    return client.with([CORE, MISSIVES]);
  }

  /** Starts the server again, on the same data, after it has ended. */
  async restart(): Promise<void> {
    this.server = await this.server.restart();
  }

  async call(name: string, args: object = {}): Promise<Json> {
    const { accountId } = this;
    const { methodResponses } = await this.client.api([[name, { accountId, ...args }, 'c']]);
    const [answered, response] = methodResponses[0] as unknown as [string, Json];
    return answered === name ? response : { error: response.type, ...response };
  }

  send(subject: string): Promise<Json> {
    return this.call('Errand/set', { create: { p: { subject } } });
  }

  /** Returns the lines by which hooks have told the world outside. */
  seen(): Json[] {
    return readFileSync(join(this.#folder, 'out'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  seenOf(subject: string): Json[] {
    return this.seen().filter((line) => line.subject === subject);
  }

  /** Lets the job `slow`, and what else waits for it, go on. */
  release(): void {
    writeFileSync(join(this.#folder, 'out.released'), '');
  }

  async remove(): Promise<void> {
    await this.server.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Serves missives.yaml for the tests of a describe block, on one of the databases. */
export function useMissives(
  database: string,
  postgresql: () => PostgresqlServer,
  more: () => Readonly<Record<string, string>> = () => ({}),
): () => Missives {
  let missives: Missives | undefined;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'missives-'));
    const env = {
      ...{ HOOK_TIMEOUT: '1s', MISSIVES_OUT: join(folder, 'out'), ...more() },
      ...(database === 'PostgreSQL'
        ? { DATABASE_URL: await postgresql().createDatabase('missives') }
        : {}),
    };
    const server = await startServer({ project: await sharedProject(), env });
    missives = new Missives(server, await makeFixtures(server, ['u2']), env, folder);
  }, 600_000);
  afterAll(() => missives?.remove());
  return () => {
    if (missives === undefined) throw new Error('Missives are served inside tests only.');
    return missives;
  };
}
