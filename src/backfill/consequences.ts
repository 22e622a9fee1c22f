import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import type { BackfillDatabase } from '../database/backfill-database.js';
import { MAX_HOOK_DEPTH } from '../hooks/scope.js';
import type { Registry } from '../methods/registry.js';
import type { Recompute } from './recompute.js';
import { type Batch, batches } from './row-batches.js';

/** A computed property, and the type that has it. */
export interface ComputedOf {
  readonly type: DataTypeDefinition;
  readonly property: PropertyDefinition;
}

interface Options {
  readonly registry: Registry;
  readonly database: BackfillDatabase;
  readonly recompute: Recompute;
  /** Keys of properties that are computed for all objects later, by `computeKey`. */
  readonly pending: ReadonlySet<string>;
}

/** Returns the key of the note by which a property is computed for all objects. */
export function computeKey({ type, property }: ComputedOf): string {
  return `compute:${type.table}/${property.column}`;
}

/** Mends values that are made of objects which the backfill or the previous version has written. */
export class Consequences {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns whether `computeOn` gives values that are made of objects of the type. */
  hasFollowers(type: DataTypeDefinition): boolean {
    return this.#followers(type).length > 0;
  }

  /**
   * Computes what `computeOn` makes of objects, and what it makes of these in turn. Resolves to
   * whether something changed.
   */
  async spread(batch: Batch): Promise<boolean> {
    const { recompute } = this.#options;
    let left: readonly Batch[] = [batch];
    for (let round = 0; ; round += 1) {
      const changed: Batch[] = [];
      for (const one of left)
        for (const { type, property } of this.#followers(one.type)) {
          const ids = await recompute.follow(type, property, one, true);
          if (ids.length > 0) changed.push({ type, accountId: one.accountId, ids });
        }
      if (changed.length === 0) return round > 0;
      requireEnd(round, changed);
      left = changed;
    }
  }

  /**
   * Mends the aggregates of types, those that others have of them, and what is made of these in
   * turn. They needn't have changed just now: a server may have ended before it came to this.
   */
  async recount(types: Iterable<DataTypeDefinition>, isOver: () => boolean): Promise<void> {
    const { database, recompute, registry, pending } = this.#options;
    const concerned = this.#concernedBy(types);
    const aggregates = registry.relations.allAggregates.filter(
      (one) =>
        (concerned.has(one.source) || concerned.has(one.type)) && !pending.has(computeKey(one)),
    );
    // `computeOn` may change what an aggregate is made of that was mended before.
    for (let round = 0, isWrong = true; isWrong; round += 1) {
      requireEnd(round, aggregates);
      isWrong = false;
      for (const aggregate of aggregates) {
        const { type } = aggregate;
        const rows = database.miscountedRows(aggregate);
        for await (const batch of batches(database, { type, rows })) {
          if (isOver()) return;
          const { changedIds: ids } = await recompute.objects(batch, {
            derived: false,
            record: true,
          });
          if (ids.length > 0 && (await this.spread({ ...batch, ids }))) isWrong = true;
        }
      }
    }
  }

  /** Returns the types, and all whose values are made of theirs. */
  #concernedBy(types: Iterable<DataTypeDefinition>): ReadonlySet<DataTypeDefinition> {
    const concerned = new Set(types);
    // Types that are added meanwhile are visited, too.
    for (const type of concerned) {
      for (const follower of this.#followers(type)) concerned.add(follower.type);
      for (const one of this.#options.registry.relations.aggregates.get(type.name) ?? [])
        concerned.add(one.type);
    }
    return concerned;
  }

  /** Returns properties that are computed from objects of the type. */
  #followers(type: DataTypeDefinition): readonly ComputedOf[] {
    const { registry, pending } = this.#options;
    return [...registry.dataTypes.values()].flatMap((other) =>
      other.properties
        .map((property) => ({ type: other, property }))
        .filter(
          (one) =>
            one.property.computed?.kind === 'on' &&
            one.property.computed.sources.some((source) => source.type === type.name) &&
            !pending.has(computeKey(one)),
        ),
    );
  }
}

/** Throws where values follow each other in a circle, as a /set does. */
function requireEnd(round: number, last: readonly Pick<ComputedOf, 'type'>[]): void {
  if (round < MAX_HOOK_DEPTH) return;
  const names = [...new Set(last.map(({ type }) => type.name))].join(', ');
  throw new Error(
    'Computed properties depend on each other in a circle, or in too long a chain: after ' +
      `${round} rounds ${names} still changed.`,
  );
}
