import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { useMissives } from './missives-rig.js';

// Durable hooks, seeds and jobs over the ends of processes: test/hooks/missives.yaml.

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

const postgresql = usePostgresql();

describe.each(['SQLite', 'PostgreSQL'])('work that hooks leave to servers on %s', (database) => {
  const missives = useMissives(database, postgresql);

  test('finish a durable afterCommit whose server was killed', async () => {
    await missives().send('hang');
    await eventually(() => expect(missives().seenOf('hang')).toHaveLength(1));
    await missives().server.kill();
    await missives().restart();
    const subjects = async (): Promise<Json> =>
      (await missives().call('Missive/get', { ids: null })).list.map(
        ({ subject }: Json) => subject,
      );
    await eventually(async () => expect(await subjects()).toEqual(['Welcome to A1']));
    await eventually(() => expect(missives().seenOf('hang')).toHaveLength(2));
    const [first, second] = missives().seenOf('hang');
    expect(second).toEqual({ ...first, attempt: expect.any(Number) });
    expect(second.attempt).toBeGreaterThan(1);
  });

  test('do a job once in a period, over all servers', async () => {
    const { env } = missives();
    const second =
      database === 'PostgreSQL' ? await startServer({ project: await sharedProject(), env }) : null;
    try {
      const before = missives().seen().length;
      await wait(5000);
      const runs = missives()
        .seen()
        .slice(before)
        .filter(({ job }) => job !== undefined);
      expect(runs.length).toBeGreaterThanOrEqual(1);
      const all = missives()
        .seen()
        .filter(({ job }) => job !== undefined);
      for (const [at, { at: time }] of all.entries())
        if (at > 0) expect(time - all[at - 1].at).toBeGreaterThan(1000);
    } finally {
      await second?.remove();
    }
  });
});
