import type { DataTypeDefinition } from '../capability/definition.js';
import { recordedReferencesOf } from '../capability/named-references.js';
import { holdsBlobs } from '../capability/places.js';
import { UNKNOWN_COLUMN } from '../capability/unknown-properties.js';
import { hasUserValues } from '../capability/user-values.js';
import {
  allRows,
  type BackfillDatabase,
  type BackfillRow,
  filledRows,
  goneRows,
  type RowKey,
  uncountedRows,
  writtenRows,
} from '../database/backfill-database.js';
import { MigrationError } from '../database/migrations.js';
import { HookTimeoutError } from '../methods/hook-errors.js';
import { indexOf } from '../methods/type-index.js';
import type { Log } from '../runtime/log.js';
import { Computing } from './computing.js';
import { Conversions } from './conversions.js';
import { countQuotas, noteCount } from './count-quotas.js';
import { ScopeKeeper } from './keep-scopes.js';
import { Recompute } from './recompute.js';
import { type RecomputeServices, Repairs } from './repairs.js';
import { type Batch, batches, endOf } from './row-batches.js';

/**
 * The work that migrations leave to the engine (docs/reference/evolution.md). It stores the values
 * that hook files compute for existing objects. Where the previous version writes objects after the
 * migration, it stores the values that derive from them.
 */

export interface BackfillOptions extends RecomputeServices {
  readonly database: BackfillDatabase;
  readonly log: Log;
  /** The previous version may go on serving beside this one. */
  readonly shared: boolean;
  /**
   * Epoch ms by which it is no longer followed (steady-clock.ts); the system's clock where left
   * out.
   */
  readonly now?: () => number;
  /** How often it is followed, ms; every ten seconds where left out. */
  readonly pause?: number;
}

/** Allows for differing clocks and long transactions of servers, ms: at a start, and after it. */
const MARGIN = 600_000;
const SHORT_MARGIN = 120_000;

/** How long the previous version may write after a migration, and how often it is followed, ms. */
const FOLLOWED = 86_400_000;
const PAUSE = 10_000;
/** How often what gone objects have left is removed, ms. */
const GONE_PAUSE = 300_000;

/** Objects of a batch that is not divided further, where a function took too long. */
const LEAST_HANGING = 64;
const FAILED = 'completing what the previous version wrote failed; it is tried again';

interface Followed {
  /** The next round looks at what was written since then. */
  readonly from: number;
  /** By account and id: `updated`. */
  readonly done: ReadonlyMap<string, string>;
}

/**
 * Does what is left, before anything is served; then, where the previous version may serve too,
 * goes on following it. Throws MigrationError where a hook file fails: a start goes on where it
 * stood.
 */
export async function startBackfill(options: BackfillOptions): Promise<{ stop(): Promise<void> }> {
  const { database, log } = options;
  const own = await database.newest();
  const backfill = new Backfill(options);
  await noteCount(options);
  await backfill.finish(own.at);
  await backfill.keepScopes();
  await countQuotas(options);
  if (!options.shared || !(await backfill.isFollowing())) return { stop: async () => undefined };
  backfill.serve();
  let stopped = false;
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(async () => {
      if (stopped) return;
      try {
        const newest = await database.newest();
        if (newest.name !== own.name) {
          // Now it is this version that is followed: it would undo what is legal from now on.
          clearInterval(timer);
          log.info(
            newest,
            'a newer version has migrated the database: it completes what this one writes',
          );
          return;
        }
        await backfill.follow(newest.at, () => stopped);
        if (!(await backfill.isFollowing())) clearInterval(timer);
      } catch (error) {
        log.error({ err: error }, FAILED);
      }
    });
  }, options.pause ?? PAUSE);
  timer.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Notes name tables and columns, as all does that migrations write. */
class Backfill {
  readonly #options: BackfillOptions;
  /** Keys of the properties that are still to be computed for all objects. */
  readonly #pending = new Set<string>();
  readonly #byTable: ReadonlyMap<string, DataTypeDefinition>;
  readonly #repairs: Repairs;
  readonly #recompute: Recompute;
  readonly #conversions: Conversions;
  readonly #computing: Computing;
  readonly #scopes: ScopeKeeper;
  /** By type: when it was last followed, and what was done of what the next one looks at. */
  readonly #followed = new Map<string, Followed>();
  /** By type: when leftovers of gone objects were last removed, and since when some may be left. */
  readonly #cleared = new Map<string, { readonly at: number; readonly from: number | null }>();
  /** Tables of types of which a batch failed in this round. */
  readonly #failed = new Set<string>();

  constructor(options: BackfillOptions) {
    this.#options = options;
    const types = [...options.registry.dataTypes.values()];
    this.#byTable = new Map(types.map((type) => [type.table, type]));
    this.#repairs = new Repairs(options, this.#pending);
    this.#recompute = new Recompute(options, this.#repairs);
    this.#conversions = new Conversions({ ...options, repairs: this.#repairs });
    this.#computing = new Computing({ ...options, pending: this.#pending }, this.#recompute);
    this.#scopes = new ScopeKeeper(options);
  }

  async finish(migrated: number): Promise<void> {
    const { database, log } = this.#options;
    await this.#computing.begin();
    await this.#conversions.finish();
    for (const { key } of await database.notes()) {
      if (!key.startsWith('adopt:')) continue;
      await this.#adopt(key.slice('adopt:'.length));
      await database.forget(key);
    }
    // First what comes from an object itself: a normalised object has all of that computed.
    await this.#computing.run(({ property }) => property.computed?.kind === 'from');
    for (const { key, value } of await database.notes()) {
      if (!key.startsWith('normalize:')) continue;
      const type = this.#byTable.get(key.slice('normalize:'.length));
      if (type !== undefined) await this.#normalize(type, key, value);
      await database.forget(key);
    }
    await this.#computing.run(() => true);
    await this.follow(migrated, () => false);
    // Last: states that were given out while values were computed must not outlive it.
    for (const { key } of await database.notes()) {
      if (!key.startsWith('reset:')) continue;
      const table = key.slice('reset:'.length);
      await database.reset(key, table);
      log.info({ type: this.#byTable.get(table)?.name ?? table }, 'old states are refused');
    }
  }

  /** Gives objects the scopes that the access rules say. */
  async keepScopes(): Promise<void> {
    const { shared, now = Date.now } = this.#options;
    await this.#scopes.finish({ shared, now });
  }

  /** The start is over: clients are served from now on. */
  serve(): void {
    this.#repairs.isServing = true;
  }

  async isFollowing(): Promise<boolean> {
    const notes = await this.#options.database.notes();
    return notes.some(({ key }) => key.startsWith('follow:'));
  }

  /**
   * Everything that was written since the migration, and what follows from it. `migrated`: when the
   * newest was applied; a note may be an older one's.
   */
  async follow(migrated: number, isOver: () => boolean): Promise<void> {
    const { database, shared, now = Date.now } = this.#options;
    this.#failed.clear();
    await this.#retryKept(isOver);
    const notes = (await database.notes()).filter(({ key }) => key.startsWith('follow:'));
    const types: DataTypeDefinition[] = [];
    for (const { key, value } of notes) {
      // A type that this version doesn't have is the other's to follow.
      const type = this.#byTable.get(key.slice('follow:'.length));
      if (type === undefined) continue;
      types.push(type);
      await this.#followType(type, Number(value), isOver);
      if (isOver()) return;
    }
    await this.#recount(new Set(types), isOver);
    if (isOver()) return;
    for (const { key, value } of notes) {
      // Where nobody serves beside this server, once is enough.
      const isOld = now() > Math.max(Number(value), migrated) + FOLLOWED;
      const isDone = !this.#failed.has(key.slice('follow:'.length));
      if (!shared || (isOld && isDone)) await database.forget(key);
    }
  }

  /**
   * Does the work of a batch. While clients are served, a batch that fails by its hook is tried in
   * halves, and a failure is that of its objects alone: the next round tries them again. Resolves
   * to whether all is done.
   */
  async #attempt(batch: Batch, work: (batch: Batch) => Promise<void>): Promise<boolean> {
    try {
      await work(batch);
      return true;
    } catch (error) {
      if (!this.#repairs.isServing) throw error;
      const { type, accountId: account, ids } = batch;
      // Each try of a function that hangs takes its whole time.
      const least = (error as Error).cause instanceof HookTimeoutError ? LEAST_HANGING : 1;
      if (error instanceof MigrationError && ids.length > least) {
        const middle = ids.length >> 1;
        const isFirstDone = await this.#attempt({ ...batch, ids: ids.slice(0, middle) }, work);
        const isRestDone = await this.#attempt({ ...batch, ids: ids.slice(middle) }, work);
        return isFirstDone && isRestDone;
      }
      const where = { type: type.name, account, objects: ids.slice(0, 10), count: ids.length };
      this.#options.log.error({ err: error, ...where }, FAILED);
      this.#failed.add(type.table);
      return false;
    }
  }

  async #followType(type: DataTypeDefinition, since: number, isOver: () => boolean): Promise<void> {
    const { database } = this.#options;
    const last = this.#followed.get(type.name);
    const at = Date.now();
    const from = last?.from ?? since - MARGIN;
    let next = at - SHORT_MARGIN;
    const done = new Map<string, string>();
    const isNew = ({ accountId, id, updated }: BackfillRow): boolean => {
      const key = `${accountId} ${id}`;
      // A row written a moment ago may be written again in the same millisecond.
      if (Number(updated) < at - 1000) done.set(key, String(updated));
      return last?.done.get(key) !== String(updated);
    };
    const { updated } = indexOf(type).roles;
    const written = writtenRows(type.table, from, updated?.column ?? null);
    for await (const batch of batches(database, { type, rows: written, isIncluded: isNew })) {
      if (isOver()) return;
      const isDone = await this.#attempt(batch, async (part) => {
        await this.#conversions.follow(part);
        await this.#derive(part, true);
        await this.#scopes.follow(part);
      });
      if (isDone) continue;
      for (const id of batch.ids) {
        const key = `${batch.accountId} ${id}`;
        next = Math.min(next, Number(done.get(key) ?? next));
        done.delete(key);
      }
    }
    await this.#conversions.settle(type);
    if (!(await this.#tellForeign(type, from, isOver))) next = from;
    await this.#forgetGone(type, isOver);
    this.#followed.set(type.name, { from: next, done });
  }

  /** Tells users of writes of another version since then (ms). Resolves to whether it did. */
  async #tellForeign(
    type: DataTypeDefinition,
    since: number,
    isOver: () => boolean,
  ): Promise<boolean> {
    if (!hasUserValues(type)) return true;
    const rows = uncountedRows(type.table, since);
    let isDone = true;
    for await (const batch of batches(this.#options.database, { type, rows })) {
      if (isOver()) return false;
      isDone = (await this.#attempt(batch, (part) => this.#scopes.tellForeign(part))) && isDone;
    }
    return isDone;
  }

  /** Mends the aggregates of types, and those that others have of them. */
  async #recount(types: ReadonlySet<DataTypeDefinition>, isOver: () => boolean): Promise<void> {
    const { database, registry } = this.#options;
    for (const aggregate of registry.relations.allAggregates) {
      const { type, source } = aggregate;
      if (!types.has(type) && !types.has(source)) continue;
      const rows = database.miscountedRows(aggregate);
      for await (const batch of batches(database, { type, rows })) {
        if (isOver()) return;
        const isDone = await this.#attempt(batch, async (part) => {
          await this.#recompute.objects(part, { derived: false, record: true });
        });
        if (!isDone) this.#failed.add(source.table);
      }
    }
  }

  /** Mends all that derives from objects, and tells clients. */
  async #derive(batch: Batch, isNews = false): Promise<void> {
    const how = { derived: true, record: true, isNews };
    const conflictingIds = await this.#recompute.objects(batch, how);
    if (conflictingIds.length === 0) return;
    const { type, accountId: account } = batch;
    await this.#options.database.noteKept(type.table, account, conflictingIds);
    this.#options.log.warn(
      {
        type: type.name,
        account,
        objects: conflictingIds.slice(0, 10),
        count: conflictingIds.length,
      },
      'not normalised: another object has the value, which must be unique; change one of them',
    );
  }

  /** Normalises objects that had to keep a text, once no other object has its normal form. */
  async #retryKept(isOver: () => boolean): Promise<void> {
    const { database } = this.#options;
    for (const { key, table, accountId, id } of await database.kept()) {
      const type = this.#byTable.get(table);
      // A type that this version doesn't have is the other's.
      if (type === undefined) continue;
      if (isOver()) return;
      const batch = { type, accountId, ids: [id] };
      await this.#attempt(batch, async () => {
        const how = { derived: true, record: true };
        const conflictingIds = await this.#recompute.objects(batch, how);
        if (conflictingIds.length === 0) await database.forget(key);
      });
    }
  }

  /** Puts the texts of all objects into the forms that they have from now on. */
  async #normalize(type: DataTypeDefinition, key: string, value: string): Promise<void> {
    const { database, log } = this.#options;
    const after = value === '' ? null : (JSON.parse(value) as RowKey);
    let rows = 0;
    for await (const batch of batches(database, { type, rows: allRows(type.table), after })) {
      await this.#derive(batch);
      rows += batch.ids.length;
      await database.keep(key, JSON.stringify(endOf(batch)));
      log.info({ type: type.name, rows }, 'normalised objects');
    }
  }

  /** Moves undeclared values to the properties that declare their names now. */
  async #adopt(table: string): Promise<void> {
    const type = this.#byTable.get(table);
    if (type === undefined || indexOf(type).unknown === null) return;
    const rows = filledRows(table, UNKNOWN_COLUMN);
    for await (const batch of batches(this.#options.database, { type, rows }))
      await this.#recompute.objects(batch, { derived: true, record: false });
  }

  /**
   * Removes the records that the previous version left when it destroyed objects. Records of
   * properties that the type no longer has stay: that version needs them.
   */
  async #forgetGone(type: DataTypeDefinition, isOver: () => boolean): Promise<void> {
    const { database } = this.#options;
    const references = recordedReferencesOf(type.properties).map(({ key }) => key);
    const hasBlobs = type.properties.some(holdsBlobs);
    // A singleton is there without a row.
    const hasValues = hasUserValues(type) && type.singleton !== true;
    if (references.length === 0 && !hasBlobs && !hasValues) return;
    const at = Date.now();
    // The first round looks at all records, later ones at what was destroyed meanwhile.
    const last = this.#cleared.get(type.name) ?? { at: 0, from: null };
    if (at < last.at + GONE_PAUSE) return;
    const rows = goneRows({ table: type.table, references, hasBlobs, hasValues }, last.from);
    let from: number | null = at - MARGIN;
    for await (const batch of batches(database, { type, rows })) {
      if (isOver()) return;
      if (!(await this.#attempt(batch, (part) => this.#recompute.forget(part)))) from = last.from;
    }
    this.#cleared.set(type.name, { at, from });
  }
}
