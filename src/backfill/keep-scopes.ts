import type { DataTypeDefinition } from '../capability/definition.js';
import { rulesKey } from '../capability/scopes.js';
import { hasUserValues } from '../capability/user-values.js';
import { allRows, type BackfillDatabase } from '../database/backfill-database.js';
import { MigrationError } from '../database/migrations.js';
import { GrantUpkeep } from '../methods/work/grant-upkeep.js';
import { ScopeUpkeep } from '../methods/work/scope-upkeep.js';
import { accessRelationsOf } from '../methods/work/upkeep-of-services.js';
import { MethodError } from '../protocol/errors.js';
import type { Log } from '../runtime/log.js';
import type { NewScopes, Transaction } from '../store/port.js';
import { mendShares } from './mend-shares.js';
import { BATCH_TIME, MAX_FOLLOWERS, type RecomputeServices } from './repairs.js';
import { type Batch, batches } from './row-batches.js';

/** How often a long work says how far it is, ms. */
const LOGGED = 10_000;

export interface ScopesOptions extends Pick<RecomputeServices, 'store' | 'registry' | 'conductor'> {
  readonly database: Pick<
    BackfillDatabase,
    'rows' | 'note' | 'noteRules' | 'dropGrants' | 'forget' | 'follow'
  >;
  readonly log: Log;
}

/** Keeps the scopes of objects as the access rules of their types say. */
export class ScopeKeeper {
  readonly #options: ScopesOptions;

  constructor(options: ScopesOptions) {
    this.#options = options;
  }

  /**
   * Gives the objects of a type their scopes where its rules are others than at the last start, or
   * its old states were refused. The same holds where that is so of a type that they follow. States
   * of its views lead nowhere then. `shared`: a version with other rules may go on writing, so the
   * server has to follow what it writes.
   */
  async finish({ shared, now }: { readonly shared: boolean; readonly now: () => number }) {
    const { registry, database, log } = this.#options;
    const { dataTypes } = registry;
    const stale = await this.#findStale();
    const follow = async (name: string): Promise<void> => {
      const type = dataTypes.get(name);
      if (shared && type !== undefined) await database.follow(type.table, now());
    };
    for (const type of dataTypes.values()) {
      const names = [...(registry.relations.viewRules.judgedWith.get(type.name) ?? [])];
      if (!names.some((name) => stale.has(name))) continue;
      // All see all of a type without rules: only its states are those of views.
      const hasRules = type.access !== undefined;
      // Ahead of the work: what is written meanwhile is followed, too.
      if (hasRules || hasUserValues(type)) for (const name of names) await follow(name);
      if (!stale.has(type.name)) await database.forget(rulesKey(type.table));
      if (hasRules) await this.#renew(type);
      await database.noteRules(type.table, this.#rulesOf(type) ?? '');
      const what = 'objects follow the access rules; old states of the type are refused';
      log.info({ type: type.name }, what);
    }
  }

  /** Returns the names of the types whose objects have the scopes of other rules, or none. */
  async #findStale(): Promise<ReadonlySet<string>> {
    const { registry, database } = this.#options;
    const stale = new Set<string>();
    for (const type of registry.dataTypes.values()) {
      const noted = await database.note(rulesKey(type.table));
      const rules = this.#rulesOf(type);
      // With rules once more, all objects get their scopes anew.
      if (rules === undefined && noted !== null) {
        await database.dropGrants(type.table);
        await database.forget(rulesKey(type.table));
      }
      if (rules !== undefined && noted !== rules) stale.add(type.name);
    }
    return stale;
  }

  #rulesOf({ name }: DataTypeDefinition): string | undefined {
    return this.#options.registry.relations.viewRules.hashes.get(name);
  }

  /** Returns whether the scopes of a type's objects are those of the rules of this version. */
  async #isOwn(type: DataTypeDefinition): Promise<boolean> {
    return (await this.#options.database.note(rulesKey(type.table))) === this.#rulesOf(type);
  }

  async #renew(type: DataTypeDefinition): Promise<void> {
    const { database, log } = this.#options;
    let [objects, told] = [0, performance.now()];
    for await (const batch of batches(database, { type, rows: allRows(type.table) })) {
      // Another server that starts has done it.
      if (await this.#isOwn(type)) return;
      await this.#change(batch, async (transaction, moved) => {
        await transaction.rewriteScopes(type, moved);
        await mendShares(transaction, type, batch.ids);
      });
      objects += batch.ids.length;
      if (performance.now() < told + LOGGED) continue;
      told = performance.now();
      log.info({ type: type.name, objects }, 'access rules are applied to objects');
    }
  }

  /**
   * Mends the scopes of objects that another version has written, and of those that follow them,
   * and tells their users. Does nothing once a version with other rules has given objects theirs.
   */
  async follow(batch: Batch): Promise<void> {
    const { type, ids } = batch;
    if (type.access === undefined || !(await this.#isOwn(type))) return;
    const { registry } = this.#options;
    await this.#change(batch, async (transaction, moved, scopes) => {
      await record(transaction, type, moved);
      const grants = new GrantUpkeep(accessRelationsOf(registry));
      await mendShares(transaction, type, ids, async (given) => {
        grants.take(type, given);
        await grants.record(transaction);
      });
      for (const [of, followers] of await scopes.followersOf([{ type: type.name, ids }]))
        await record(transaction, of, await scopes.movedOf(of, followers));
    });
  }

  /**
   * Tells users who see all of a type with values of each user of what another version has written
   * in an account: it doesn't count its changes for them.
   */
  async tellForeign({ type, accountId }: Omit<Batch, 'ids'>): Promise<void> {
    const how = { deadline: performance.now() + BATCH_TIME, mayRepeat: true, isLong: true };
    try {
      await this.#options.store.write(accountId, how, (transaction) =>
        transaction.recordForeign(type),
      );
    } catch (error) {
      if (!isDeleted(error)) throw error;
    }
  }

  async #change(
    { type, accountId, ids }: Batch,
    write: (transaction: Transaction, moved: Moved, scopes: ScopeUpkeep) => Promise<void>,
  ): Promise<void> {
    const { store, registry, conductor } = this.#options;
    const how = { deadline: performance.now() + BATCH_TIME, mayRepeat: true, isLong: true };
    try {
      await store.write(accountId, how, async (transaction) => {
        const scopes = new ScopeUpkeep({
          transaction,
          relations: accessRelationsOf(registry, MAX_FOLLOWERS, Number.POSITIVE_INFINITY),
          slices: conductor.startSlices(undefined, true),
          current: (of, some, properties) => transaction.get(of, some, properties),
        });
        await write(transaction, await scopes.movedOf(type, ids), scopes);
      });
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      if (isDeleted(error)) return;
      const where = `account ${accountId}, ${ids[0]} to ${ids.at(-1)} of ${type.name}`;
      const why = `The access rules can't be applied in ${where}: ${error.message}`;
      throw new MigrationError(why, { cause: error });
    }
  }
}

/** The account has been deleted meanwhile. */
function isDeleted(error: unknown): boolean {
  return error instanceof MethodError && error.type === 'accountNotFound';
}

type Moved = ReadonlyMap<string, NewScopes>;

async function record(
  transaction: Transaction,
  type: DataTypeDefinition,
  moved: Moved,
): Promise<void> {
  if (moved.size === 0) return;
  const changes = Array.from(
    moved,
    ([objectId, scopes]) => ({ objectId, kind: 'updated', scopes, properties: [] }) as const,
  );
  await transaction.record(type, changes);
}
