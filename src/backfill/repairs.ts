import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import type { HookCall } from '../capability/hooks.js';
import { HookRefusal } from '../capability/refusal.js';
import { HookBudget } from '../hooks/budget.js';
import { type Following, updateComputed } from '../hooks/compute-on.js';
import { HookHandle } from '../hooks/handle.js';
import { NewsReader } from '../hooks/news.js';
import type { HookServices } from '../hooks/scope.js';
import type { Hooks, Services } from '../methods/context.js';
import { HookError, namedFailure } from '../methods/hook-errors.js';
import type { Registry } from '../methods/registry.js';
import { indexOf } from '../methods/type-index.js';
import type { Upkeep } from '../methods/work/aggregate-upkeep.js';
import { UnitOfWork } from '../methods/work/unit.js';
import { accessRelationsOf } from '../methods/work/upkeep-of-services.js';
import { jsonEqual } from '../protocol/equal.js';
import { MethodError } from '../protocol/errors.js';
import { emptyObject } from '../protocol/json.js';
import type { Conductor } from '../runtime/slices.js';
import type { Store, StoredObject, Transaction } from '../store/port.js';
import { type Batch, batchFailure } from './row-batches.js';

/** How long one batch may take, ms: nobody waits for an answer. */
export const BATCH_TIME = 600_000;

/** Objects whose access may follow one that is repaired: nobody could make the repair smaller. */
export const MAX_FOLLOWERS = 10_000_000;

const NO_LIMITS = Object.freeze({
  maxObjectsInGet: Number.MAX_SAFE_INTEGER,
  queryMaxLimit: Number.MAX_SAFE_INTEGER,
});

export interface RecomputeServices {
  readonly store: Store;
  readonly registry: Registry;
  /** The values that hooks compute; absent if no capability has hooks. */
  readonly hooks?: Pick<Hooks, 'compute' | 'isExclusive'> | undefined;
  readonly hookServices: HookServices;
  readonly conductor: Pick<Conductor, 'startSlices'>;
  readonly blobs: Pick<Services['blobs'], 'read'>;
}

/** A computed property, and the type that has it. */
export interface ComputedOf {
  readonly type: DataTypeDefinition;
  readonly property: PropertyDefinition;
}

/** Returns the key of the note by which a property is computed for all objects. */
export function computeKey({ type, property }: ComputedOf): string {
  return `compute:${type.table}/${property.column}`;
}

/** A transaction that repairs objects of one type. */
export interface Repair {
  /** Takes the objects as they should be; `updated` stays. */
  readonly unit: UnitOfWork;
  /** Ids of objects that keep their values, and of which clients' filters or sorts see a change. */
  readonly stale: Set<string>;
}

interface How {
  /** The type of whose objects no change records are written: clients refetch it. */
  readonly unrecorded?: DataTypeDefinition | null;
  /** The work itself waits for functions of hook files. */
  readonly waits?: boolean;
  /** The property that alone follows; all that aren't computed later where left out. */
  readonly only?: ComputedOf;
  /** Ids of objects of which `computeOn` is told as of created ones, once it knows what changed. */
  readonly told?: readonly string[];
}

/**
 * Runs transactions that repair objects. As in a /set, `computeOn` and aggregates follow in the
 * same transaction: if one of them fails, the objects stay wrong, and the next run finds them.
 */
export class Repairs {
  readonly #services: RecomputeServices;
  readonly #pending: ReadonlySet<string>;
  /** Clients wait for what a repair locks: functions have the time that they have in a call. */
  isServing = false;

  /** `pending`: keys of properties that are computed for all objects later, by `computeKey`. */
  constructor(services: RecomputeServices, pending: ReadonlySet<string> = new Set()) {
    this.#services = services;
    this.#pending = pending;
  }

  /** Returns whether `computeOn` gives values that are made of objects of the type. */
  hasFollowers({ name }: DataTypeDefinition): boolean {
    return [...this.#services.registry.dataTypes.values()].some((type) =>
      type.properties.some(
        (property) =>
          property.computed?.kind === 'on' &&
          property.computed.sources.some((source) => source.type === name) &&
          !this.#pending.has(computeKey({ type, property })),
      ),
    );
  }

  /**
   * Resolves to undefined where the account has gone meanwhile, and its objects with it. After a
   * conflict the store runs `work` again. Throws MigrationError where a hook function fails.
   */
  async run<T>(
    batch: Batch,
    { unrecorded = null, waits = false, only, told = [] }: How,
    work: (repair: Repair) => Promise<T>,
  ): Promise<T | undefined> {
    const { type, accountId } = batch;
    const { store, hooks, registry, conductor } = this.#services;
    const deadline = performance.now() + BATCH_TIME;
    const exclusive = waits || hooks?.isExclusive(type) === true;
    const upkeep = this.#upkeep();
    const isIncluded = (of: DataTypeDefinition, property: PropertyDefinition): boolean =>
      only === undefined
        ? !this.#pending.has(computeKey({ type: of, property }))
        : property === only.property && of === only.type;
    try {
      const how = { deadline, exclusive, mayRepeat: true, isLong: true };
      return await store.write(accountId, how, async (transaction) => {
        const slices = conductor.startSlices(undefined, true);
        const unit = new UnitOfWork(transaction, null, slices, upkeep);
        const stale = new Set<string>();
        const result = await work({ unit, stale });
        await unit.flush();
        const run = this.#runIn(transaction, accountId);
        const following = { registry, unit, upkeep, run, isIncluded };
        const news = new NewsReader(unit);
        await updateComputed(following, news);
        await touch(unit, type, told);
        news.tellAsNew(type, told);
        await updateComputed(following, news);
        await unit.settle();
        for (const [name, { entries }] of unit.touched) {
          const of = registry.dataTypes.get(name);
          if (of === undefined) continue;
          const changes = of === unrecorded ? [] : [...entries.values()].flatMap(changeOf);
          await recordSeen(of, changes, unit, of === type && of !== unrecorded ? stale : NONE);
        }
        return result;
      });
    } catch (error) {
      if (error instanceof MethodError && error.type === 'accountNotFound') return undefined;
      throw batchFailure(batch, error);
    }
  }

  #upkeep(): Upkeep {
    const { registry, hooks } = this.#services;
    const all = [...registry.relations.aggregates].map(([name, aggregates]) => {
      const kept = aggregates.filter((one) => !this.#pending.has(computeKey(one)));
      return [name, kept] as const;
    });
    return {
      aggregates: new Map(all),
      compute: (type, object) => hooks?.compute(type, object) ?? object,
      now: null,
      // A start counts all objects when it has done the rest.
      quotas: this.isServing ? registry.quotas : null,
      access: accessRelationsOf(registry, MAX_FOLLOWERS, Number.POSITIVE_INFINITY),
    };
  }

  #runIn(transaction: Transaction, accountId: string): Following['run'] {
    const { hookServices, blobs } = this.#services;
    const { isServing } = this;
    const timeout = isServing ? hookServices.timeout : Number.POSITIVE_INFINITY;
    const budget = new HookBudget(timeout, Number.POSITIVE_INFINITY);
    const call = callOf(accountId, budget.signal);
    return async ({ what, limit }, work) => {
      const hook = { what, limit: isServing ? limit : null };
      const handle = new HookHandle({
        snapshot: transaction,
        prisma: hookServices.prisma,
        limits: NO_LIMITS,
        viewer: null,
        openBlob: (id, range) => blobs.read(accountId, id, range),
        writing: null,
      });
      try {
        return await hookServices.join(() => budget.run(hook, async () => work(call, handle)));
      } catch (error) {
        // Nobody makes a call that could be refused.
        if (error instanceof HookRefusal) throw new HookError(what, `refused: ${error.message}`);
        throw namedFailure(what, error);
      } finally {
        handle.end();
      }
    };
  }
}

/** Puts objects into a unit that doesn't have them yet, as they are. */
async function touch(
  unit: UnitOfWork,
  type: DataTypeDefinition,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const row of await unit.transaction.get(type, ids, type.properties))
    if (unit.current(type, row.id) === undefined) unit.update(type, row, row);
}

const NONE: ReadonlySet<string> = new Set();

/** Nobody asks: it is the server that has the objects computed. */
function callOf(accountId: string, signal: AbortSignal): HookCall {
  return Object.freeze({
    accountId,
    userId: '',
    method: '',
    arguments: emptyObject(),
    createdIds: new Map<string, string>(),
    refused: [],
    isReadOnly: false,
    signal,
  });
}

export interface Change {
  readonly before: StoredObject;
  readonly after: StoredObject;
}

function changeOf({ before, after }: Readonly<Record<keyof Change, StoredObject | null>>) {
  return before === null || after === null || before === after ? [] : [{ before, after }];
}

async function recordSeen(
  type: DataTypeDefinition,
  changed: readonly Change[],
  unit: UnitOfWork,
  stale: ReadonlySet<string>,
): Promise<void> {
  const { watched } = indexOf(type);
  const differs = (name: string, { before, after }: Change): boolean =>
    !jsonEqual(before[name] ?? null, after[name] ?? null);
  const seen = changed.filter((one) => watched.some(({ name }) => differs(name, one)));
  const properties = watched.filter(({ name }) => seen.some((one) => differs(name, one)));
  const ids = new Set([...stale, ...seen.map(({ after }) => after.id)]);
  await unit.recordUpdates(type, ids, properties);
}
