import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { Changes, TypeHooks, Wanted } from '../capability/hooks.js';
import type { CallContext, Hooks, StandardCall, WantedObject } from '../methods/context.js';
import { HookHandleError } from '../methods/hook-errors.js';
import type { Registry } from '../methods/registry.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import type { Slices } from '../runtime/slices.js';
import type { StoredObject } from '../store/port.js';
import { Computes } from './compute.js';
import { extended } from './extend.js';
import { putValues, relevantNews } from './follow.js';
import { type News, NewsReader } from './news.js';
import { ownMethod } from './own.js';
import type { HookServices } from './port.js';
import { concernedTypes, exclusiveTypes, sourceTypes } from './reach.js';
import { HookScope, MAX_HOOK_DEPTH, scopeOf } from './scope.js';
import { frozenInSlices } from './walks.js';
import { OfferedObjects } from './wanted.js';

/** Returns the hooks of a registry as methods meet them; undefined where it has none. */
export function createHooks(registry: Registry, services: HookServices): Hooks | undefined {
  const isWithout = registry.typeHooks.size === 0 && registry.ownMethods.size === 0;
  return isWithout ? undefined : new RegistryHooks(registry, services);
}

interface Readers {
  /** Of computeOn. */
  readonly followers: NewsReader;
  /** Of inTransaction and afterCommit. */
  readonly listeners: NewsReader;
}

class RegistryHooks implements Hooks {
  readonly #services: HookServices;
  readonly #types: ReadonlyMap<string, TypeHooks>;
  readonly #dataTypes: Registry['dataTypes'];
  readonly #computes: Computes;
  readonly #sources: ReadonlySet<string>;
  readonly #exclusive: ReadonlySet<string>;
  readonly #concerned: ReadonlySet<string>;
  readonly #own: Registry['ownMethods'];
  /** Those who hear of a unit's news: the same for every `tx.set` in it. */
  readonly #readers = new WeakMap<UnitOfWork, Readers>();

  constructor(registry: Registry, services: HookServices) {
    this.#services = services;
    this.#types = registry.typeHooks;
    this.#dataTypes = registry.dataTypes;
    this.#computes = new Computes(registry);
    this.#sources = sourceTypes(registry);
    this.#exclusive = exclusiveTypes(registry);
    this.#concerned = concernedTypes(registry);
    this.#own = registry.ownMethods;
  }

  concerns({ dataType, name }: MethodDefinition): boolean {
    return dataType === undefined ? this.#own.has(name) : this.#concerned.has(dataType.name);
  }

  ofCall(context: CallContext): HookScope {
    return new HookScope(context, this.#services);
  }

  runOwn(name: string, args: object, context: CallContext): Promise<object> {
    return ownMethod(name, args, context);
  }

  extend<Arguments extends object, Response extends object>(
    call: StandardCall<Arguments>,
    context: CallContext,
    run: (args: Arguments, sent?: Arguments) => Promise<Response>,
  ): Promise<Response> {
    const hooks = this.#types.get(call.type.name);
    return hooks === undefined ? run(call.args) : extended(hooks, call, context, run);
  }

  /** Those of destroyed objects are for these hooks alone: compute is of what is written. */
  needsWholeRows({ name }: DataTypeDefinition): boolean {
    const { check, inTransaction, afterCommit } = this.#types.get(name) ?? {};
    const hearing = check ?? inTransaction ?? afterCommit;
    return this.#sources.has(name) || hearing !== undefined;
  }

  /** compute is a pure function: it needs no lock. */
  isExclusive({ name }: DataTypeDefinition): boolean {
    return this.#exclusive.has(name);
  }

  compute(type: DataTypeDefinition, object: StoredObject): StoredObject {
    return this.#computes.apply(type, object);
  }

  async beforeWrites(
    type: DataTypeDefinition,
    wanted: readonly WantedObject[],
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    const hooks = this.#types.get(type.name);
    if (hooks?.check === undefined) return;
    const check = hooks.check.bind(hooks);
    const scope = scopeOf(context);
    const what = `check of ${type.name}`;
    const objects = wanted.map(({ before, after }) => [before, after]);
    await frozenInSlices(objects, unit.slices);
    const offered = new OfferedObjects(what, wanted);
    try {
      const reach = { snapshot: unit.transaction, unit: null };
      await scope.run(what, reach, scope.further, (call, reader) =>
        check(offered.objects as readonly Wanted<never>[], call, reader),
      );
    } finally {
      offered.end();
    }
  }

  /**
   * Computed properties first, until they stand still; then each type's hooks hear of it once. What
   * these write has been told by their `tx.set`.
   */
  async afterWrites(unit: UnitOfWork, context: CallContext): Promise<void> {
    const { followers, listeners } = this.#readersOf(unit);
    for (;;) {
      await this.#settle(followers, unit, context);
      const next = listeners.takeNext();
      if (next === null) return;
      await this.#tell(...next, unit, context);
      await unit.flush();
    }
  }

  #readersOf(unit: UnitOfWork): Readers {
    const readers = this.#readers.get(unit) ?? {
      followers: new NewsReader(unit),
      listeners: new NewsReader(unit),
    };
    this.#readers.set(unit, readers);
    return readers;
  }

  /** What computeOn changes may be followed by others. */
  async #settle(followers: NewsReader, unit: UnitOfWork, context: CallContext): Promise<void> {
    for (let round = 0; ; round += 1) {
      const news = followers.takeAll();
      if (news.size === 0) return;
      if (round >= MAX_HOOK_DEPTH) {
        throw new HookHandleError(
          `Computed properties follow each other more than ${round} times: those that follow ` +
            `${[...news.keys()].join(', ')} the last.`,
        );
      }
      for (const type of this.#dataTypes.values()) await this.#follow(type, news, unit, context);
    }
  }

  async #tell(
    name: string,
    changes: Changes<StoredObject>,
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    const hooks = this.#types.get(name);
    const scope = scopeOf(context);
    const { further } = scope;
    if (hooks?.afterCommit !== undefined) {
      const after = hooks.afterCommit.bind(hooks);
      scope.keep(
        `afterCommit of ${name}`,
        // All that the transaction has done to the type by its end, once.
        async (call) => {
          const slices = context.services.conductor.startSlices();
          return after(await told(unit.changes().get(name) ?? changes, slices), call);
        },
        further,
      );
    }
    if (hooks?.inTransaction === undefined) return;
    const inTransaction = hooks.inTransaction.bind(hooks);
    const offered = await told(changes, unit.slices);
    await scope.run(
      `inTransaction of ${name}`,
      { snapshot: unit.transaction, unit },
      further,
      (call, tx) => inTransaction(offered, call, tx),
    );
  }

  /** Brings the computed properties that follow what changed to their new values. */
  async #follow(
    type: DataTypeDefinition,
    news: News,
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    const { computeOn } = this.#types.get(type.name) ?? {};
    for (const property of type.properties) {
      if (property.computed?.kind !== 'on') continue;
      const changes = relevantNews(news, property.computed.sources);
      const valuesOf = computeOn?.[property.name];
      if (changes === null || valuesOf === undefined) continue;
      const what = `computeOn of ${type.name}.${property.name}`;
      const offered = await frozenInSlices(changes, unit.slices);
      const scope = scopeOf(context);
      const said = await scope.run(
        what,
        { snapshot: unit.transaction, unit: null },
        scope.further,
        (call, reader) =>
          valuesOf(offered as Readonly<Record<string, Changes<never>>>, call, reader),
      );
      const following = { what, type, property, unit, context, computes: this.#computes };
      await putValues(following, said);
    }
    await unit.flush();
  }
}

/** What hooks are told is for reading: what they did to it would be written, or sent. */
function told(
  { created, updated, destroyed }: Changes<StoredObject>,
  slices: Slices,
): Promise<Changes<never>> {
  return frozenInSlices({ created, updated, destroyed } as Changes<never>, slices);
}
