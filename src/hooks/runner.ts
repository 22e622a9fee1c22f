import type { DataTypeDefinition } from '../capability/definition.js';
import type { MethodExtension, TypeHooks } from '../capability/hooks.js';
import type {
  Answer,
  CallContext,
  CallHooks,
  Hooks,
  StandardArguments,
  WantedObject,
} from '../methods/context.js';
import type { Registry } from '../methods/registry.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import type { JsonObject } from '../protocol/json.js';
import type { StoredObject, Transaction } from '../store/port.js';
import { runCheck } from './check.js';
import { Computes } from './compute.js';
import { settleComputed } from './compute-on.js';
import { addMembers, prepareArguments } from './extend.js';
import { tellNews } from './in-transaction.js';
import { NewsReader } from './news.js';
import { runOwnMethod } from './own.js';
import { concernedTypes, exclusiveTypes, sourceTypes } from './reach.js';
import { HookScope, type HookServices } from './scope.js';

/** Returns the hooks of a registry as methods meet them; undefined where it has none. */
export function createHooks(registry: Registry, services: HookServices): Hooks | undefined {
  const isWithout = registry.typeHooks.size === 0 && registry.ownMethods.size === 0;
  return isWithout ? undefined : new RegistryHooks(registry, services);
}

/** Those who hear of a unit's news: the same for every `tx.set` in it. */
interface Readers {
  readonly computeOn: NewsReader;
  /** Of inTransaction and afterCommit. */
  readonly inTransaction: NewsReader;
}

class RegistryHooks implements Hooks {
  readonly registry: Registry;
  readonly services: HookServices;
  readonly #computes: Computes;
  readonly #sources: ReadonlySet<string>;
  readonly #exclusive: ReadonlySet<string>;
  readonly #concerned: ReadonlySet<string>;
  readonly #readers = new WeakMap<UnitOfWork, Readers>();

  constructor(registry: Registry, services: HookServices) {
    this.registry = registry;
    this.services = services;
    this.#computes = new Computes(registry);
    this.#sources = sourceTypes(registry);
    this.#exclusive = exclusiveTypes(registry);
    this.#concerned = concernedTypes(registry);
  }

  ofCall(context: CallContext): CallHooks | null {
    const { dataType, name } = context.method;
    const isConcerned =
      dataType === undefined
        ? this.registry.ownMethods.has(name)
        : this.#concerned.has(dataType.name);
    return isConcerned ? new HookedCall(context, this, null) : null;
  }

  /** Those of destroyed objects are for these hooks alone: compute is of what is written. */
  needsWholeRows({ name }: DataTypeDefinition): boolean {
    const { check, inTransaction, afterCommit } = this.registry.typeHooks.get(name) ?? {};
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

  readersOf(unit: UnitOfWork): Readers {
    const readers = this.#readers.get(unit) ?? {
      computeOn: new NewsReader(unit),
      inTransaction: new NewsReader(unit),
    };
    this.#readers.set(unit, readers);
    return readers;
  }
}

/** Which hooks one call meets, and when. */
class HookedCall extends HookScope implements CallHooks {
  readonly #hooks: RegistryHooks;
  readonly #types: ReadonlyMap<string, TypeHooks>;

  constructor(context: CallContext, hooks: RegistryHooks, parent: HookScope | null) {
    super(context, hooks.services, parent);
    this.#hooks = hooks;
    this.#types = hooks.registry.typeHooks;
  }

  protected override within(context: CallContext): CallHooks {
    return new HookedCall(context, this.#hooks, this);
  }

  runOwn(name: string, args: JsonObject): Promise<Answer> {
    const body = this.#hooks.registry.ownMethods.get(name);
    if (body === undefined) throw new Error(`No hook file implements ${name}.`);
    return runOwnMethod(this, body, args);
  }

  async prepare(args: JsonObject): Promise<StandardArguments> {
    const extension = this.#extension();
    return extension === undefined ? { args } : prepareArguments(this, extension, args);
  }

  async complete(response: object, transaction?: Transaction): Promise<object> {
    const after = this.#extension()?.after;
    if (after === undefined) return response;
    return addMembers(this, after, response, transaction ?? 'read');
  }

  async beforeWrites(
    type: DataTypeDefinition,
    wanted: readonly WantedObject[],
    unit: UnitOfWork,
  ): Promise<void> {
    const hooks = this.#types.get(type.name);
    if (hooks?.check === undefined) return;
    await runCheck(hooks, `check of ${type.name}`, { scope: this, unit }, wanted);
  }

  /**
   * Computed properties first, until they stand still; then each type's hooks hear of it once. What
   * these write has been told by their `tx.set`.
   */
  async afterWrites(unit: UnitOfWork): Promise<void> {
    const { registry } = this.#hooks;
    const readers = this.#hooks.readersOf(unit);
    const following = { registry, scope: this, unit, computes: this.#hooks };
    for (;;) {
      await settleComputed(following, readers.computeOn);
      const [news] = readers.inTransaction.take();
      if (news === undefined) return;
      await tellNews(this.#types.get(news[0]) ?? {}, news, this, unit);
      await unit.flush();
    }
  }

  /** What the hook file adds to the method; undefined where the type has no hooks. */
  #extension(): MethodExtension | undefined {
    const { dataType, body } = this.context.method;
    const hooks = dataType === undefined ? undefined : this.#types.get(dataType.name);
    return hooks && (hooks.methods?.[body as string] ?? {});
  }
}
