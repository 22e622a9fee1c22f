import type { KeptBlob } from '../blobs/blob-store.js';
import type { Store } from '../store/port.js';
import type { Limits } from './config.js';
import type { Logger } from './logging.js';

type BlobKey = Awaited<ReturnType<Store['collectBlobs']>>[number];

/** The parts of the store, the blob store and the accounts that upkeep needs (see their ports). */
export interface UpkeepOptions
  extends Pick<Store, 'pruneChanges' | 'pruneAnswers' | 'collectBlobs'> {
  deleteBlob(accountId: string, blobId: string): Promise<void>;
  listBlobs(): AsyncIterable<KeptBlob>;
  /** Resolves to those of the ids that the account has rows of. */
  knownBlobs(accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns whether a backup runs: no octets may go. Asked once their rows are gone (blob-hold.ts).
   */
  blobsHeld(): Promise<boolean>;
  pruneTickets(before: number, limit: number): Promise<number>;
  /** Forgets counts of rate limits whose windows have ended. */
  pruneRates(before: number, limit: number): Promise<number>;
  /** Forgets ends of sign-ins that have no meaning any more. */
  pruneLogouts(before: number, limit: number): Promise<number>;
  pruneAudit(before: number, limit: number): Promise<number>;
  /** Does for the directory what pruneChanges does for accounts. */
  pruneDirectory(before: number, limit: number): Promise<number>;
  /** Destroys push subscriptions that have ended. */
  pruneSubscriptions(before: number, limit: number): Promise<number>;
  /** Goes on with accounts whose deletion was interrupted, until `stopped`. */
  resumeDeletions(stopped: () => boolean): Promise<void>;
  readonly limits: Pick<Limits, 'changesKeep' | 'blobsKeep' | 'onceKeep' | 'auditKeep'>;
  /** Looks for objects that share a value which must be unique. */
  findDuplicates(stopped: () => boolean): Promise<void>;
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
/** Between two looks for duplicates, ms (duplicates.ts skips most of them). */
const LOOK = 10 * MINUTE;
/** The longest first pause after a failure, ms: a sweep must not wait until the next day. */
const FIRST_PAUSE = MINUTE;
/** Blobs without rows that the server remembers, and failures that end a round. */
const REMEMBERED = 10_000;
const GIVEN_UP = 10;

/** Octets come before their row, by as long as a request lasts. After this no row comes, ms. */
const ORPHAN_AGE = 60 * MINUTE;

/**
 * Starts the upkeep. It forgets old change records, answers and acts, and collects unused blobs,
 * every tenth of their keeping time, at most a minute apart. Each minute, and at start, it resumes
 * deletions of accounts; each minute it forgets expired tickets, push subscriptions, ends of
 * sign-ins and counts of rate limits. At start and once a day it removes octets whose process ended
 * before their row. At start and every ten minutes it looks for duplicates. `stop` resolves when
 * the running step is done.
 */
export function startUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const { limits, log, now } = options;
  const prune = repeat(tenth(limits.changesKeep), log, 'change records', async () => {
    return (await options.pruneChanges(now() - limits.changesKeep, STEP)) >= STEP;
  });
  const remains = new Remains();
  const collect = repeat(tenth(limits.blobsKeep), log, 'blobs', async () => {
    if (await options.blobsHeld()) return false;
    // Their rows went before: a backup held the octets, or the blob store failed.
    await remains.delete(options);
    const before = now() - limits.blobsKeep;
    const keys = await options.collectBlobs(before, STEP);
    remains.add(keys);
    // A backup that began in between may have copied the rows.
    if (keys.length > 0 && (await options.blobsHeld())) return false;
    // The rows are gone: whatever happens now, no row points at nothing.
    await remains.delete(options);
    return keys.length >= STEP;
  });
  const answers = repeat(tenth(limits.onceKeep), log, 'kept answers', async () => {
    return (await options.pruneAnswers(now() - limits.onceKeep, STEP)) >= STEP;
  });
  const audit = repeat(tenth(limits.auditKeep), log, 'the audit', async () => {
    return (await options.pruneAudit(now() - limits.auditKeep, STEP)) >= STEP;
  });
  const directory = repeat(tenth(limits.changesKeep), log, 'the directory', async () => {
    return (await options.pruneDirectory(now() - limits.changesKeep, STEP)) >= STEP;
  });
  const expired = (
    [
      ['tickets', options.pruneTickets],
      ['rate limits', options.pruneRates],
      ['ends of sign-ins', options.pruneLogouts],
      ['push subscriptions', options.pruneSubscriptions],
    ] as const
  ).map(([name, forget]) =>
    repeat(MINUTE, log, name, async () => (await forget(now(), STEP)) >= STEP),
  );
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
  const duplicates = repeat(LOOK, log, 'duplicates', async (stopped) => {
    await options.findDuplicates(stopped);
    return false;
  });
  duplicates.start();
  return {
    async stop() {
      const all = [...expired, prune, collect, answers, audit, directory, deletions];
      await Promise.all([...all, sweep, duplicates].map((each) => each.stop()));
    },
  };
}

function tenth(keep: number): number {
  return Math.min(keep / 10, MINUTE);
}

/** Octets whose rows are gone. The sweep finds any lost at a process's end or beyond the limit. */
class Remains {
  #blobs: BlobKey[] = [];

  add(blobs: readonly BlobKey[]): void {
    this.#blobs.push(...blobs.slice(0, REMEMBERED - this.#blobs.length));
  }

  /** Removes all of them. Throws the first failure; after `GIVEN_UP` failures tries no others. */
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

/** Walks the blob store, and removes blobs that have no row and are too old to get one. */
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
 * Runs `step` while it returns true, then again after `pause` ms; `start` runs it at once. After a
 * failure it tries again within a minute; the pause doubles with each further failure.
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
