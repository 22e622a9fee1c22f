import { propertiesRead, sortByDependencies } from '../capability/aggregates.js';
import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import {
  accountRows,
  allRows,
  type BackfillDatabase,
  type BackfillRows,
  type RowKey,
} from '../database/backfill-database.js';
import type { Registry } from '../methods/registry.js';
import type { Log } from '../runtime/log.js';
import type { Recompute } from './recompute.js';
import { type ComputedOf, computeKey } from './repairs.js';
import { batches, endOf } from './row-batches.js';

interface Options {
  readonly registry: Registry;
  readonly database: BackfillDatabase;
  readonly log: Log;
  /** Keys of the properties that are still to be computed. */
  readonly pending: Set<string>;
}

/** Where a computed property's work stands: the table that is read, and its last object done. */
interface Position {
  readonly source: string;
  readonly after: RowKey | null;
}

/** A property that is read, by the name of its type. */
interface Source {
  readonly type: string;
  readonly property: string;
}

interface Task extends ComputedOf {
  readonly start: Position | null;
}

/** Computes properties for all objects that exist, as notes `compute:TABLE/COLUMN` ask. */
export class Computing {
  readonly #options: Options;
  readonly #recompute: Recompute;

  constructor(options: Options, recompute: Recompute) {
    this.#options = options;
    this.#recompute = recompute;
  }

  /** Reads the notes, and forgets those of properties that a later migration has given up. */
  async begin(): Promise<void> {
    const { database, pending } = this.#options;
    const keys = new Set(this.#computed().map(computeKey));
    for (const { key } of await database.notes()) {
      if (keys.has(key)) pending.add(key);
      else if (key.startsWith('compute:')) await database.forget(key);
    }
  }

  /** Computes the properties, each after those that its values depend on. */
  async run(isIncluded: (computed: ComputedOf) => boolean): Promise<void> {
    const { database, pending } = this.#options;
    const notes = new Map((await database.notes()).map(({ key, value }) => [key, value]));
    const included = this.#computed().filter(isIncluded);
    const tasks = included.flatMap((computed) => {
      const value = notes.get(computeKey(computed));
      if (value === undefined) return [];
      return [{ ...computed, start: value === '' ? null : (JSON.parse(value) as Position) }];
    });
    for (const task of sortByDependencies(tasks, (one, other) => this.#dependsOn(one, other))) {
      await this.#compute(task);
      pending.delete(computeKey(task));
      await database.forget(computeKey(task));
    }
    // Another server may have computed some.
    for (const computed of included) pending.delete(computeKey(computed));
  }

  #computed(): readonly ComputedOf[] {
    return [...this.#options.registry.dataTypes.values()].flatMap((type) =>
      type.properties
        .filter(({ computed }) => computed !== undefined)
        .map((property) => ({ type, property })),
    );
  }

  /** Returns whether values are made of those of another property, directly or by `compute`. */
  #dependsOn({ type, property }: ComputedOf, other: ComputedOf): boolean {
    const { dataTypes, relations } = this.#options.registry;
    const aggregate = relations.allAggregates.find(
      (one) => one.type === type && one.property === property,
    );
    const sources =
      aggregate === undefined
        ? sourcesOf(type, property)
        : propertiesRead(aggregate).map(({ name }) => ({
            type: aggregate.source.name,
            property: name,
          }));
    // Sources that are added meanwhile are visited, too.
    for (const source of sources) {
      const read = dataTypes.get(source.type);
      const found = read?.properties.find(({ name }) => name === source.property);
      if (read === other.type && found === other.property) return true;
      if (read !== undefined && found?.computed?.kind === 'from')
        sources.push(...sourcesOf(read, found));
    }
    return false;
  }

  async #compute({ type, property, start }: Task): Promise<void> {
    const { database, log, registry } = this.#options;
    const { computed } = property;
    const sources = computed?.kind === 'on' ? computed.sources.map((one) => one.type) : [type.name];
    const read = [...new Set(sources)]
      .map((name) => registry.dataTypes.get(name))
      .filter((source) => source !== undefined);
    const from = read.findIndex(({ table }) => table === start?.source);
    for (const source of read.slice(Math.max(0, from))) {
      const after = start?.source === source.table ? start.after : null;
      const all = { type: source, rows: rowsOf(source), after };
      let rows = 0;
      for await (const batch of batches(database, all)) {
        // The migration makes clients refetch, so no change records are needed.
        if (computed?.kind === 'on') await this.#recompute.follow({ type, property }, batch);
        else await this.#recompute.objects(batch, { derived: false, record: false });
        rows += batch.ids.length;
        const position: Position = { source: source.table, after: endOf(batch) };
        await database.keep(computeKey({ type, property }), JSON.stringify(position));
        const what = `${type.name}.${property.name}`;
        log.info({ property: what, source: source.name, rows }, 'computed for objects');
      }
    }
  }
}

/** Returns the rows of a type; of a singleton, which may have none yet, one for each account. */
function rowsOf(type: DataTypeDefinition): BackfillRows {
  return type.singleton === true ? accountRows() : allRows(type.table);
}

/** Returns the properties of which a hook makes the value. */
function sourcesOf(type: DataTypeDefinition, { computed }: PropertyDefinition): Source[] {
  if (computed?.kind === 'on') return [...computed.sources];
  if (computed?.kind !== 'from') return [];
  return computed.properties.map((property) => ({ type: type.name, property }));
}
