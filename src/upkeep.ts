import type { Limits } from './config.js';
import type { Logger } from './logging.js';

interface BlobKey {
  readonly accountId: string;
  readonly id: string;
}

/** What upkeep needs of the store and the blob store (their ports say more). */
export interface UpkeepOptions {
  pruneChanges(before: number, limit: number): Promise<number>;
  collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]>;
  deleteBlob(accountId: string, blobId: string): Promise<void>;
  readonly limits: Pick<Limits, 'changesKeep' | 'blobsKeep'>;
  readonly log: Logger;
}

/** Rows of one step: short enough that the writer serves others in between. */
const STEP = 500;
const MINUTE = 60_000;

/**
 * Forgets old change records (D9) and collects blobs that nothing refers to (D23), at least every tenth of their
 * keeping time and at least once a minute. `stop` resolves when the step that runs is done.
 */
export function startUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const { limits, log } = options;
  const prune = repeat(limits.changesKeep, log, 'change records', async (before) => {
    return (await options.pruneChanges(before, STEP)) >= STEP;
  });
  const collect = repeat(limits.blobsKeep, log, 'blobs', async (before) => {
    const gone = await options.collectBlobs(before, STEP);
    // The rows are gone: whatever happens now, no row points at nothing.
    for (const { accountId, id } of gone) await options.deleteBlob(accountId, id);
    return gone.length >= STEP;
  });
  return {
    async stop() {
      await Promise.all([prune.stop(), collect.stop()]);
    },
  };
}

/** Runs `step` until it says that there is no more, then again after a while. */
function repeat(
  keep: number,
  log: Logger,
  what: string,
  step: (before: number) => Promise<boolean>,
): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<void> | null = null;
  const round = async (): Promise<void> => {
    try {
      let more = true;
      while (more && !stopped) more = await step(Date.now() - keep);
    } catch (error) {
      log.error({ err: error, what }, 'upkeep failed; it is tried again');
    } finally {
      running = null;
    }
  };
  const timer = setInterval(
    () => {
      running ??= round();
    },
    Math.min(keep / 10, MINUTE),
  );
  timer.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
