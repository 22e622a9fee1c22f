import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

// Durable hooks, seeds and jobs over the ends of processes: test/hooks/missives.yaml.
const MISSIVES = 'https://example.com/jmap/missives';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

const postgresql = usePostgresql();

describe.each(['SQLite', 'PostgreSQL'])('work that hooks leave to servers on %s', (database) => {
  let server: RunningServer;
  let client: Client;
  let accountId: string;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'missives-'));
    env = { HOOK_TIMEOUT: '1s', MISSIVES_OUT: join(folder, 'out') };
    if (database === 'PostgreSQL') env['DATABASE_URL'] = await postgresql().createDatabase('tasks');
    server = await startServer({ project: await sharedProject(), env });
    const made = await makeUser(server);
    accountId = made.accountId;
    client = made.client.with([CORE, MISSIVES]);
  }, 600_000);
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async (name: string, args: object): Promise<Json> => {
    const { methodResponses } = await client.api([[name, { accountId, ...args }, 'c']]);
    return (methodResponses[0] as unknown as Json)[1];
  };
  /** The lines by which hooks have told the world outside. */
  const seen = (): Json[] =>
    readFileSync(join(folder, 'out'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const seenOf = (subject: string): Json[] => seen().filter((line) => line.subject === subject);
  const send = (subject: string): Promise<Json> =>
    call('Errand/set', { create: { p: { subject } } });

  test('finish a durable afterCommit whose server was killed', async () => {
    await send('hang');
    await eventually(() => expect(seenOf('hang')).toHaveLength(1));
    await server.kill();
    server = await server.restart();
    const subjects = async (): Promise<Json> =>
      (await call('Missive/get', { ids: null })).list.map(({ subject }: Json) => subject);
    await eventually(async () => expect(await subjects()).toEqual(['Welcome to A']));
    await eventually(() => expect(seenOf('hang')).toHaveLength(2));
    const [first, second] = seenOf('hang');
    expect(second).toEqual({ ...first, attempt: expect.any(Number) });
    expect(second.attempt).toBeGreaterThan(1);
  });

  test('do a job once in a period, over all servers', async () => {
    const second =
      database === 'PostgreSQL' ? await startServer({ project: await sharedProject(), env }) : null;
    try {
      const before = seen().length;
      await wait(5000);
      const runs = seen()
        .slice(before)
        .filter(({ job }) => job !== undefined);
      expect(runs.length).toBeGreaterThanOrEqual(1);
      const all = seen().filter(({ job }) => job !== undefined);
      for (const [at, { at: time }] of all.entries())
        if (at > 0) expect(time - all[at - 1].at).toBeGreaterThan(1000);
    } finally {
      await second?.remove();
    }
  });
});
