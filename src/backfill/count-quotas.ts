import { accountRows, type BackfillDatabase, type RowKey } from '../database/backfill-database.js';
import { keepQuotas } from '../methods/quota/keep-quotas.js';
import type { Recounts } from '../methods/quota/quota-book.js';
import type { Quotas } from '../methods/quota/quota-index.js';
import { MethodError } from '../protocol/errors.js';
import type { Log } from '../runtime/log.js';
import { BATCH_TIME, type RecomputeServices } from './repairs.js';

export interface QuotaCounting extends Pick<RecomputeServices, 'store' | 'registry' | 'conductor'> {
  readonly database: Pick<BackfillDatabase, 'rows' | 'notes' | 'note' | 'swap' | 'forget'>;
  readonly log: Log;
}

/** Accounts that one statement reads. */
const PAGE = 500;
/** How often a long count says how far it is, ms. */
const LOGGED = 10_000;

/** A row of JmapMeta: all objects are to be counted. */
const NOTE = 'quotas';

/**
 * Notes that all objects are to be counted where migrations have left work, which may change any of
 * them. A start that is cut short leaves the note to the next one.
 */
export async function noteCount({ registry, database }: QuotaCounting): Promise<void> {
  if (registry.quotas === null || (await database.notes()).length === 0) return;
  await database.swap(NOTE, null, '');
}

/**
 * Gives every account its quotas before anything is served. It counts the objects of those that are
 * new, or that count others than before; all of them where `noteCount` has noted it.
 */
export async function countQuotas(options: QuotaCounting): Promise<void> {
  const { quotas } = options.registry;
  if (quotas === null) return;
  const { database } = options;
  const isNoted = (await database.note(NOTE)) !== null;
  await countAll(options, quotas, isNoted ? 'all' : 'changed');
  if (isNoted) await database.forget(NOTE);
}

async function countAll(
  { store, conductor, database, log }: QuotaCounting,
  quotas: Quotas,
  recounts: Recounts,
): Promise<void> {
  let [accounts, told] = [0, performance.now()];
  for (let last: RowKey | null = null; ; ) {
    const page = await database.rows(accountRows(), last, PAGE);
    for (const { accountId } of page) {
      const options = { deadline: performance.now() + BATCH_TIME };
      try {
        await keepQuotas({ store, quotas, conductor }, accountId, options, recounts);
      } catch (error) {
        // The account has been deleted meanwhile.
        if (!(error instanceof MethodError && error.type === 'accountNotFound')) throw error;
      }
      accounts += 1;
      if (performance.now() < told + LOGGED) continue;
      told = performance.now();
      log.info({ accounts }, 'quotas of accounts are counted');
    }
    const end = page.at(-1);
    if (end === undefined) return;
    last = [end.accountId, end.id];
  }
}
