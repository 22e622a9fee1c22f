import { hash } from 'node:crypto';
import { parentRulesOf } from '../capability/access-rules.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { allRows, type BackfillDatabase } from '../database/backfill-database.js';
import { canonicalJson } from '../protocol/canonical-json.js';
import type { Log } from '../runtime/log.js';
import type { RecomputeServices, Repairs } from './repairs.js';
import { type Batch, batches } from './row-batches.js';

interface NewRulesOptions extends Pick<RecomputeServices, 'registry'> {
  readonly database: BackfillDatabase;
  readonly log: Log;
  /** The previous version may go on serving beside this one. */
  readonly shared: boolean;
  readonly now?: () => number;
}

/** A row of JmapMeta: by table, a hash of the rules by which its objects have their scopes. */
const NOTE = 'scopes';

/**
 * Gives objects the scopes of their types' access rules, where these are others than at the last
 * start. Clients are told who sees what from then on.
 */
export class NewRules {
  readonly #options: NewRulesOptions;
  readonly #repairs: Repairs;

  constructor(options: NewRulesOptions, repairs: Repairs) {
    this.#options = options;
    this.#repairs = repairs;
  }

  /** Goes through all objects of types whose rules have changed. */
  async run(): Promise<void> {
    const { database, registry, log, shared, now = Date.now } = this.#options;
    const types = [...registry.dataTypes.values()].filter(({ access }) => access !== undefined);
    const hashes = new Map(types.map((type) => [type.table, this.#hashOf(type)]));
    const note = await database.note(NOTE);
    const known = new Map(Object.entries(JSON.parse(note ?? '{}') as Record<string, string>));
    const after = JSON.stringify(Object.fromEntries([...hashes].sort()));
    if (after === (note ?? '{}')) return;
    for (const type of types) {
      const { name, table } = type;
      if (known.get(table) === hashes.get(table)) continue;
      let rows = 0;
      for await (const batch of batches(database, { type, rows: allRows(table) })) {
        await this.give(batch);
        rows += batch.ids.length;
      }
      log.info({ type: name, rows }, 'access rules are others: it is known who sees the objects');
      // The previous version knows the old rules alone.
      if (shared) await database.swap(`follow:${table}`, null, String(now()));
    }
    await database.swap(NOTE, note, after);
  }

  /** Gives the objects of a batch their scopes, and writes change records of those that move. */
  async give({ type, accountId, ids }: Batch): Promise<void> {
    if (type.access === undefined) return;
    await this.#repairs.run({ type, accountId, ids }, {}, ({ unit }) => unit.findMoved(type, ids));
  }

  /** Objects that follow others depend on the rules of these, too. */
  #hashOf({ name }: DataTypeDefinition): string {
    const { dataTypes } = this.#options.registry;
    const names = new Set([name]);
    // A Set goes on over what is added while it is walked.
    for (const one of names)
      for (const { who } of parentRulesOf(dataTypes.get(one)?.access ?? [])) names.add(who.type);
    const rules = [...names].map((one) => dataTypes.get(one)?.access ?? null);
    return hash('sha256', canonicalJson(rules), 'base64url');
  }
}
