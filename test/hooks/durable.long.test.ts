import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type S3Service, startS3 } from '../support/s3.js';
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

const S3_OBJECT = '._S3rver_object';

describe.each([
  ['SQLite', 'a folder'],
  ['PostgreSQL', 'S3'],
])('blobs that hooks put on %s, in %s', (database, place) => {
  let s3: S3Service | undefined;
  beforeAll(async () => {
    s3 = place === 'S3' ? await startS3() : undefined;
  });
  const clock = mkdtempSync(join(tmpdir(), 'missives-clock-'));
  const offset = join(clock, 'offset');
  writeFileSync(offset, '0');
  afterAll(async () => {
    await s3?.remove();
    rmSync(clock, { recursive: true });
  });
  const missives = useMissives(database, postgresql, () => ({
    HOOK_TIMEOUT: '1m',
    NODE_OPTIONS: `--import=${new URL('../faults/clock.mjs', import.meta.url).href}`,
    CLOCK_FILE: offset,
    ...s3?.env,
  }));

  /** Paths of octets, whole or not. */
  const files = (): readonly string[] =>
    readdirSync(s3?.folder ?? join(missives().server.dataDir, 'blobs'), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile() && (s3 === undefined || entry.name.endsWith(S3_OBJECT)))
      .map(({ parentPath, name }) => join(parentPath, name));
  const ids = (): readonly string[] =>
    files()
      .map((path) => basename(path, S3_OBJECT))
      .sort();
  const newIds = (old: readonly string[]) => ids().filter((id) => !old.includes(id));
  const download = (id: string): Promise<{ readonly status: number; readonly text: string }> => {
    const { client, accountId } = missives();
    return client.http(`/jmap/download/${accountId}/${id}/body`);
  };

  test('are there if the call is acknowledged, and no others after a kill and upkeep', async () => {
    const { fixtures, accountId } = missives();
    const { blobId } = await fixtures.u1.upload(accountId, 'Dear Ann', 'text/plain');
    const { id } = await missives().call('Missive/import', { blobId });
    await missives().server.kill();
    await missives().restart();
    const [{ bodyId }] = (await missives().call('Missive/get', { ids: [id] })).list;
    const kept = [blobId, bodyId].sort();
    expect(ids()).toEqual(kept);
    expect((await download(bodyId)).text).toBe('DEAR ANN');

    expect((await missives().call('Missive/import', { blobId, mode: 'throw' })).error).toBe(
      'serverFail',
    );
    await eventually(() => expect(ids()).toEqual(kept));

    // The hook waits between putBlob and the commit.
    const lost = missives().call('Missive/import', { blobId, mode: 'slow' });
    lost.catch(() => undefined);
    await eventually(() => expect(newIds(kept)).toHaveLength(1));
    const [orphan = ''] = newIds(kept);
    await missives().server.kill();
    await expect(lost).rejects.toThrow();
    await missives().restart();
    expect((await download(orphan)).status).toBe(404);
    // Upkeep leaves the octets of the last hour, whose row may still come.
    await missives().server.stop();
    writeFileSync(offset, String(7_200_000));
    await missives().restart();
    await eventually(() => expect(ids()).toEqual(kept));
    expect((await download(bodyId)).text).toBe('DEAR ANN');
    expect((await missives().call('Missive/get', { ids: null })).list).toHaveLength(2);
  });
});
