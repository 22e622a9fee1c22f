import type { DataTypeDefinition } from '../capability/definition.js';
import { allRows, type BackfillDatabase, rulesKey } from '../database/backfill-database.js';
import { ScopeUpkeep } from '../methods/work/scope-upkeep.js';
import { accessRelationsOf } from '../methods/work/upkeep-of-services.js';
import { MethodError } from '../protocol/errors.js';
import type { Log } from '../runtime/log.js';
import type { NewScopes, Transaction } from '../store/port.js';
import { BATCH_TIME, type RecomputeServices } from './repairs.js';
import { type Batch, batches } from './row-batches.js';

/** How often a long work says how far it is, ms. */
const LOGGED = 10_000;

export interface ScopesOptions extends Pick<RecomputeServices, 'store' | 'registry' | 'conductor'> {
  readonly database: Pick<BackfillDatabase, 'rows' | 'note' | 'noteRules' | 'forget'>;
  readonly log: Log;
}

/** Keeps the scopes of objects as the access rules of their types say. */
export class ScopeKeeper {
  readonly #options: ScopesOptions;

  constructor(options: ScopesOptions) {
    this.#options = options;
  }

  /**
   * Gives all objects their scopes where the rules of a type are others than those of the last
   * start, or where its old states were refused. States of its views lead nowhere then. Returns the
   * types of which it did.
   */
  async finish(): Promise<readonly DataTypeDefinition[]> {
    const { registry, database, log } = this.#options;
    const renewed: DataTypeDefinition[] = [];
    for (const type of registry.dataTypes.values()) {
      const { name, table } = type;
      const rules = registry.relations.viewRules.hashes.get(name);
      const noted = await database.note(rulesKey(table));
      if (rules === undefined) {
        // With rules once more, all objects get their scopes anew.
        if (noted !== null) await database.forget(rulesKey(table));
        continue;
      }
      if (noted === rules) continue;
      await this.#renew(type);
      await database.noteRules(table, rules);
      renewed.push(type);
      log.info({ type: name }, 'objects follow the access rules; old states of users are refused');
    }
    return renewed;
  }

  async #renew(type: DataTypeDefinition): Promise<void> {
    const { database, log } = this.#options;
    let [objects, told] = [0, performance.now()];
    for await (const batch of batches(database, { type, rows: allRows(type.table) })) {
      await this.#change(batch, (transaction, moved) => transaction.rewriteScopes(type, moved));
      objects += batch.ids.length;
      if (performance.now() < told + LOGGED) continue;
      told = performance.now();
      log.info({ type: type.name, objects }, 'access rules are applied to objects');
    }
  }

  /** Mends the scopes of objects that the previous version has written, and tells their users. */
  async follow(batch: Batch): Promise<void> {
    const { type } = batch;
    if (type.access === undefined) return;
    await this.#change(batch, async (transaction, moved) => {
      const changes = Array.from(
        moved,
        ([objectId, scopes]) => ({ objectId, kind: 'updated', scopes, properties: [] }) as const,
      );
      await transaction.record(type, changes);
    });
  }

  async #change(
    { type, accountId, ids }: Batch,
    write: (transaction: Transaction, moved: ReadonlyMap<string, NewScopes>) => Promise<void>,
  ): Promise<void> {
    const { store, registry, conductor } = this.#options;
    const how = { deadline: performance.now() + BATCH_TIME, mayRepeat: true, isLong: true };
    try {
      await store.write(accountId, how, async (transaction) => {
        const scopes = new ScopeUpkeep({
          transaction,
          relations: accessRelationsOf(registry, ids.length, Number.POSITIVE_INFINITY),
          slices: conductor.startSlices(undefined, true),
          current: (of, some, properties) => transaction.get(of, some, properties),
        });
        const moved = await scopes.movedOf(type, ids);
        if (moved.size > 0) await write(transaction, moved);
      });
    } catch (error) {
      // The account has been deleted meanwhile.
      if (!(error instanceof MethodError && error.type === 'accountNotFound')) throw error;
    }
  }
}
