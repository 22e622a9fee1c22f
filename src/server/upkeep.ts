import type { KeptBlob } from '../blobs/port.js';
import type { Store } from '../store/port.js';
import type { Limits } from './config.js';
import type { Logger } from './logging.js';

type BlobKey = Awaited<ReturnType<Store['collectBlobs']>>[number];

/** What upkeep needs of the store, the blob store and the accounts (their ports say more). */
export interface UpkeepOptions extends Pick<Store, 'pruneChanges' | 'collectBlobs'> {
  deleteBlob(accountId: string, blobId: string): Promise<void>;
  listBlobs(): AsyncIterable<KeptBlob>;
  /** Those of the ids that the account has rows of. */
  knownBlobs(accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Whether a backup runs: no octets may go. Asked once their rows are gone (blob-hold.ts). */
  blobsHeld(): Promise<boolean>;
  pruneTickets(before: number, limit: number): Promise<number>;
  /** Goes on with accounts whose deletion was interrupted, until `stopped`. */
  resumeDeletions(stopped: () => boolean): Promise<void>;
  readonly limits: Pick<Limits, 'changesKeep' | 'blobsKeep'>;
  /** Epoch ms by which ages are judged: steady-clock.ts. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Rows of one step: short enough that the writer serves others in between. */
const STEP = 500;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** After a failure the pause doubles with each further one, up to here, ms. */
const LONGEST_PAUSE = 10 * MINUTE;
/** The first pause after a failure is no longer than this, ms: a sweep is not put off until the next day. */
const FIRST_PAUSE = MINUTE;
/** Blobs without rows that are remembered, and failures of a round after which no further one is tried. */
const REMEMBERED = 10_000;
const GIVEN_UP = 10;

/** Octets come before their row, by as long as a request lasts. After this there is none to come, ms. */
const ORPHAN_AGE = 60 * MINUTE;

/**
 * Forgets old change records, tickets that nobody used (once a minute), and collects blobs that nothing
 * refers to, at least every tenth of their keeping time and at least once a minute. At start and once a minute it
 * goes on with deletions of accounts that were interrupted; at start and once a day it removes octets whose row never
 * came: their process was killed in between. `stop` resolves when the step that runs is done.
 */
export function startUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const { limits, log, now } = options;
  const prune = repeat(tenth(limits.changesKeep), log, 'change records', async () => {
    return (await options.pruneChanges(now() - limits.changesKeep, STEP)) >= STEP;
  });
  const remains = new Remains();
  const collect = repeat(tenth(limits.blobsKeep), log, 'blobs', async () => {
    if (await options.blobsHeld()) return false;
    // Whose rows went before: a backup held their octets, or the blob store failed.
    await remains.delete(options);
    const before = now() - limits.blobsKeep;
    const gone = await options.collectBlobs(before, STEP);
    remains.add(gone);
    // A backup that began in between may have copied the rows.
    if (gone.length > 0 && (await options.blobsHeld())) return false;
    // The rows are gone: whatever happens now, no row points at nothing.
    await remains.delete(options);
    return gone.length >= STEP;
  });
  const tickets = repeat(MINUTE, log, 'tickets', async () => {
    return (await options.pruneTickets(now(), STEP)) >= STEP;
  });
  const deletions = repeat(MINUTE, log, 'deleted accounts', async (stopped) => {
    await options.resumeDeletions(stopped);
    return false;
  });
  deletions.start();
  const sweep = repeat(DAY, log, 'orphaned blobs', async (stopped) => {
    await sweepOrphans(options, stopped);
    return false;
  });
  sweep.start();
  return {
    async stop() {
      const all = [prune, collect, tickets, deletions, sweep];
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

function tenth(keep: number): number {
  return Math.min(keep / 10, MINUTE);
}

/** Octets whose rows are gone. What is lost of them, by an end of the process or beyond the limit, the sweep finds. */
class Remains {
  #blobs: BlobKey[] = [];

  add(blobs: readonly BlobKey[]): void {
    this.#blobs.push(...blobs.slice(0, REMEMBERED - this.#blobs.length));
  }

  /** Removes all of them; throws the first failure, after some of them without trying the others. */
  async delete({ deleteBlob }: Pick<UpkeepOptions, 'deleteBlob'>): Promise<void> {
    const failed: BlobKey[] = [];
    let failure: { readonly error: unknown } | undefined;
    const blobs = this.#blobs.splice(0);
    for (const [index, blob] of blobs.entries()) {
      try {
        await deleteBlob(blob.accountId, blob.id);
      } catch (error) {
        failure ??= { error };
        failed.push(blob);
        if (failed.length < GIVEN_UP) continue;
        failed.push(...blobs.slice(index + 1));
        break;
      }
    }
    this.add(failed);
    if (failure !== undefined) throw failure.error;
  }
}

/** Walks the blob store, and removes what has no row and is too old to get one. */
async function sweepOrphans(options: UpkeepOptions, stopped: () => boolean): Promise<void> {
  let accountId = '';
  let ids: string[] = [];
  for await (const blob of options.listBlobs()) {
    if (stopped()) return;
    if (blob.since > options.now() - ORPHAN_AGE) continue;
    if (ids.length >= STEP || blob.accountId !== accountId) {
      await removeOrphans(options, accountId, ids);
      ({ accountId } = blob);
      ids = [];
    }
    ids.push(blob.blobId);
  }
  await removeOrphans(options, accountId, ids);
}

async function removeOrphans(
  { knownBlobs, blobsHeld, deleteBlob }: UpkeepOptions,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set(await knownBlobs(accountId, ids));
  if (known.size < ids.length && (await blobsHeld())) return;
  for (const id of ids) if (!known.has(id)) await deleteBlob(accountId, id);
}

/**
 * Runs `step` until it says that there is no more, then again after `pause` ms; `start` does so at once. After a
 * failure it is tried again within a minute, and after each further one in a row after twice as long.
 */
function repeat(
  pause: number,
  log: Logger,
  what: string,
  step: (stopped: () => boolean) => Promise<boolean>,
): { start(): void; stop(): Promise<void> } {
  let stopped = false;
  let failures = 0;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  const plan = (): void => {
    clearTimeout(timer);
    if (stopped) return;
    const backOff = Math.min(pause, FIRST_PAUSE) * 2 ** (failures - 1);
    timer = setTimeout(start, failures === 0 ? pause : Math.min(backOff, LONGEST_PAUSE));
    timer.unref();
  };
  const round = async (): Promise<void> => {
    try {
      let more = true;
      while (more && !stopped) {
        more = await step(() => stopped);
        failures = 0;
      }
    } catch (error) {
      failures += 1;
      log.error({ err: error, what }, 'upkeep failed; it is tried again');
    } finally {
      running = null;
      plan();
    }
  };
  const start = (): void => {
    running ??= round();
  };
  plan();
  return {
    start,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
