import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlobStore, KeptBlob } from '../../src/blobs/blob-store.js';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';
import { startUpkeep, type UpkeepOptions } from '../../src/server/upkeep.js';
import { eventually } from '../support/poll.js';

const HOUR = 3600 * 1000;
const MINUTE = 60_000;

let folder: string;
let blobs: BlobStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jmapsmith-upkeep-'));
  blobs = new FilesystemBlobStore(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The same store, its names as old as it is told. */
function aged(store: BlobStore, age: number): AsyncIterable<KeptBlob> {
  return (async function* () {
    for await (const blob of store.list()) yield { ...blob, since: blob.since - age };
  })();
}

function upkeep(age: number, known: ReadonlySet<string>, held = { value: false }) {
  const asked: string[] = [];
  const running = startUpkeep({
    pruneChanges: async () => 0,
    pruneAnswers: async () => 0,
    collectBlobs: async () => [],
    deleteBlob: (accountId, blobId) => blobs.delete(accountId, blobId),
    listBlobs: () => aged(blobs, age),
    async knownBlobs(accountId, ids) {
      asked.push(...ids.map((id) => `${accountId}/${id}`));
      return ids.filter((id) => known.has(id));
    },
    blobsHeld: async () => held.value,
    pruneTickets: async () => 0,
    pruneRates: async () => 0,
    pruneLogouts: async () => 0,
    pruneSubscriptions: async () => 0,
    resumeDeletions: async () => undefined,
    findDuplicates: async () => undefined,
    limits: { changesKeep: HOUR, blobsKeep: HOUR, onceKeep: HOUR },
    now: Date.now,
    log: pino({ level: 'silent' }),
  });
  return { running, asked };
}

async function kept(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { accountId, blobId } of blobs.list()) ids.push(`${accountId}/${blobId}`);
  return ids.sort();
}

async function write(accountId: string, blobId: string): Promise<void> {
  await blobs.write(accountId, blobId, Readable.from(['octets']), 100);
}

it('octets whose row never came are removed, those with a row stay', async () => {
  await write('a1', 'bknown');
  await write('a1', 'borphan');
  await write('a2', 'borphan2');
  const { running } = upkeep(2 * HOUR, new Set(['bknown']));
  await eventually(async () => expect(await kept()).toEqual(['a1/bknown']));
  await running.stop();
});

it('no octets go while a backup runs', async () => {
  await write('a1', 'borphan');
  const held = { value: true };
  const { running, asked } = upkeep(2 * HOUR, new Set(), held);
  await eventually(() => expect(asked).toEqual(['a1/borphan']));
  await running.stop();
  expect(await kept()).toEqual(['a1/borphan']);
  held.value = false;
  const later = upkeep(2 * HOUR, new Set(), held);
  await eventually(async () => expect(await kept()).toEqual([]));
  await later.running.stop();
});

it('octets that came within the hour stay: their row may be on its way', async () => {
  await write('a1', 'bfresh');
  const { running, asked } = upkeep(HOUR / 2, new Set());
  await running.stop();
  expect(await kept()).toEqual(['a1/bfresh']);
  expect(asked).toEqual([]);
});

it('RFC 8620 6.3: a copy is as old as its name, not as its octets', async () => {
  await write('a1', 'bold');
  const path = join(folder, 'a1', 'ld', 'bold');
  utimesSync(path, 0, 0);
  await blobs.copy({ accountId: 'a1', blobId: 'bold' }, { accountId: 'a2', blobId: 'bcopy' });
  expect(await readFile(join(folder, 'a2', 'py', 'bcopy'), 'utf8')).toBe('octets');
  for await (const { since } of blobs.list()) expect(since).toBeGreaterThan(Date.now() - HOUR);
});

describe('a step that fails', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Upkeep with nothing to do but what is told; `errors`: what its log was told to be wrong. */
  function failing(options: Partial<UpkeepOptions>) {
    const errors: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
    const running = startUpkeep({
      pruneChanges: async () => 0,
      pruneAnswers: async () => 0,
      pruneTickets: async () => 0,
      pruneRates: async () => 0,
      pruneLogouts: async () => 0,
      pruneSubscriptions: async () => 0,
      resumeDeletions: async () => undefined,
      findDuplicates: async () => undefined,
      collectBlobs: async () => [],
      deleteBlob: async () => undefined,
      listBlobs: () => blobs.list(),
      knownBlobs: async () => [],
      blobsHeld: async () => false,
      limits: { changesKeep: HOUR, blobsKeep: HOUR, onceKeep: HOUR },
      now: Date.now,
      log,
      ...options,
    });
    return { running, errors };
  }

  it('is retried after growing pauses, as before once it succeeds; others go on', async () => {
    let isBroken = true;
    let pruned = 0;
    let collected = 0;
    const { running, errors } = failing({
      async pruneChanges() {
        pruned += 1;
        if (isBroken) throw new Error('no disk');
        return 0;
      },
      async collectBlobs() {
        collected += 1;
        return [];
      },
    });
    await vi.advanceTimersByTimeAsync(HOUR);
    // After 1, 1, 2, 4, 8, 10, 10, 10, 10 minutes ...
    expect([pruned, errors.length]).toEqual([9, 9]);
    expect(collected).toBe(60);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(20 * MINUTE);
    expect(pruned).toBeGreaterThan(18);
    expect(errors).toHaveLength(9);
    await running.stop();
  });

  it('leaves octets to the next round during a backup or if the blob store fails', async () => {
    const deleted: string[] = [];
    const held = [false, true, true, false, false];
    let rows = [1, 2, 3].map((n) => ({ accountId: 'a', id: `b${n}` }));
    let failures = 2;
    const { running } = failing({
      blobsHeld: async () => held.shift() ?? false,
      collectBlobs: async () => rows.splice(0),
      async deleteBlob(_, id) {
        failures -= 1;
        if (failures >= 0) throw new Error('no store');
        deleted.push(id);
      },
    });
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(deleted).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(deleted).toEqual(['b3']);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(deleted).toEqual(['b3', 'b1', 'b2']);
    rows = [];
    await running.stop();
  });

  it('a sweep asks for the rows of one account at a time, and of 500 blobs at most', async () => {
    const asked: string[] = [];
    let deleted = 0;
    const { running } = failing({
      async *listBlobs() {
        for (let n = 0; n < 1003; n += 1)
          yield { accountId: n < 1001 ? 'a' : 'b', blobId: `b${n}`, since: 0 };
      },
      async knownBlobs(accountId, ids) {
        asked.push(`${accountId} ${ids.length}`);
        return ids.slice(1);
      },
      async deleteBlob() {
        deleted += 1;
      },
    });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect([asked, deleted]).toEqual([['a 500', 'a 500', 'a 1', 'b 2'], 4]);
    await running.stop();
  });

  it('a sweep that fails begins again within minutes', async () => {
    let walks = 0;
    const deleted: string[] = [];
    const { running } = failing({
      async *listBlobs() {
        walks += 1;
        yield { accountId: 'a', blobId: `b${walks}`, since: 0 };
        if (walks < 3) throw new Error('no store');
      },
      async deleteBlob(_, id) {
        deleted.push(id);
      },
    });
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect([walks, deleted]).toEqual([3, ['b3']]);
    await running.stop();
  });
});
