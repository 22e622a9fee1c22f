import type { Conductor } from '../../runtime/slices.js';
import type { CallOptions, Snapshot, Store } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { UnitOfWork } from '../work/unit.js';
import { countObjects, sumCounts } from './count-objects.js';
import type { ChangeOfTerms, QuotaBook, Recounts } from './quota-book.js';
import { isUpToDate, type Quotas } from './quota-index.js';

/** The parts of the engine that bring the quotas of an account up to date. */
export interface QuotaKeeping {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly quotas: Quotas;
  readonly conductor: Pick<Conductor, 'startSlices'>;
}

/**
 * Gives an account the quotas that the project has, if it lacks any or has others. Objects are
 * counted where a quota is new.
 */
export async function keepQuotas(
  { store, quotas, conductor }: QuotaKeeping,
  accountId: string,
  options: CallOptions,
  recounts: Recounts = 'none',
): Promise<void> {
  const isKept = (snapshot: Snapshot): Promise<boolean> => hasQuotas(quotas, snapshot, recounts);
  if (await store.read(accountId, options, isKept)) return;
  const keeping = { store, quotas, conductor };
  await writeQuotas(keeping, accountId, options, (book) => book.reconcile(recounts));
}

/** Gives an account other terms: another plan, or a limit of its own. */
export async function changeTerms(
  keeping: QuotaKeeping,
  accountId: string,
  options: CallOptions,
  change: ChangeOfTerms,
): Promise<void> {
  await writeQuotas(keeping, accountId, options, (book) => book.reconcile('changed', change));
}

async function writeQuotas(
  { store, quotas, conductor }: QuotaKeeping,
  accountId: string,
  options: CallOptions,
  work: (book: QuotaBook) => Promise<void>,
): Promise<void> {
  await store.write(accountId, { ...options, isLong: true }, async (transaction) => {
    const slices = conductor.startSlices(undefined, true);
    const upkeep = { aggregates: NONE, compute: same, now: null, quotas };
    const unit = new UnitOfWork(transaction, null, slices, upkeep);
    if (unit.book !== null) await work(unit.book);
    await unit.flush();
    await unit.record();
  });
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

function same<T, U>(_: T, object: U): U {
  return object;
}

/** Returns whether an account's quotas say what the project says, and count what there is. */
async function hasQuotas(quotas: Quotas, snapshot: Snapshot, recounts: Recounts): Promise<boolean> {
  if (recounts === 'all') return false;
  const { type, all, byId, types } = quotas;
  if (recounts === 'none') {
    const there = await snapshot.existing(type, [...byId.keys()]);
    return there.size === all.length;
  }
  const rows = await snapshot.get(type, { first: all.length + 1 }, type.properties);
  if (rows.length !== all.length) return false;
  if (!rows.every((row) => isUpToDate(row, quotas))) return false;
  for (const row of rows) {
    const quota = byId.get(row.id);
    if (quota?.resource !== 'count') continue;
    if ((await sumCounts(quota, types, snapshot)) !== row['used']) return false;
  }
  return true;
}

/** A call of a method of the quotas' own type finds them in the account. */
export async function openQuotas(context: CallContext): Promise<void> {
  const { services, method, deadline } = context;
  const { store, registry, conductor } = services;
  const { quotas } = registry;
  if (quotas === null || method.dataType !== quotas.type) return;
  await keepQuotas({ store, quotas, conductor }, accountOf(context).id, { deadline });
}

/** The use of a quota, as it says and as the objects are. */
export interface CheckedUsage {
  readonly name: string;
  readonly used: number;
  readonly counted: number;
}

/** Counts the objects of an account anew, and changes nothing. */
export async function checkUsage(
  { store, quotas, conductor }: QuotaKeeping,
  accountId: string,
  options: CallOptions,
): Promise<readonly CheckedUsage[]> {
  // Others read in between: it has a connection of its own.
  return store.read(accountId, { ...options, exclusive: true }, async (snapshot) => {
    const slices = conductor.startSlices();
    const ids = quotas.all.map(({ id }) => id);
    const rows = await snapshot.get(quotas.type, ids, quotas.type.properties);
    const checked: CheckedUsage[] = [];
    for (const quota of quotas.all) {
      const used = rows.find(({ id }) => id === quota.id)?.['used'];
      // An account without one has not been served yet: its first call counts.
      if (typeof used !== 'number') continue;
      const counted = await countObjects(quota, quotas, snapshot, slices);
      checked.push({ name: quota.name, used, counted });
    }
    return checked;
  });
}
