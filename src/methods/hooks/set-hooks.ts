import type { DataTypeDefinition } from '../../capability/definition.js';
import type { Changes, TypeHooks, Wanted } from '../../capability/hooks.js';
import { jsonEqual } from '../../protocol/equal.js';
import { emptyObject, type JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import type { CallContext } from '../context.js';
import type { Registry } from '../registry.js';
import type { SetHooks, WantedObject } from '../set/hooks.js';
import { timeOfUpdate } from '../set/update.js';
import { clock } from '../states.js';
import { indexOf } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import { HookHandleError } from './errors.js';
import { type News, takeNews } from './news.js';
import { MAX_HOOK_DEPTH } from './scope.js';

/** The hooks of a registry as /set and /copy meet them; undefined where it has none. */
export function createSetHooks(registry: Registry): SetHooks | undefined {
  return registry.typeHooks.size === 0 ? undefined : new RegistryHooks(registry);
}

class RegistryHooks implements SetHooks {
  readonly #types: ReadonlyMap<string, TypeHooks>;
  readonly #dataTypes: Registry['dataTypes'];
  /** Types whose changes others' computed properties follow. */
  readonly #sources: ReadonlySet<string>;

  constructor({ typeHooks, dataTypes }: Registry) {
    this.#types = typeHooks;
    this.#dataTypes = dataTypes;
    this.#sources = new Set(
      [...dataTypes.values()].flatMap(({ properties }) =>
        properties.flatMap(({ computed }) =>
          computed?.kind === 'on' ? computed.sources.map(({ type }) => type) : [],
        ),
      ),
    );
  }

  needsWholeRows({ name }: DataTypeDefinition): boolean {
    return this.#sources.has(name) || this.#types.has(name);
  }

  /** compute is a pure function: it needs no lock. A cascade may reach any type with hooks. */
  isExclusive({ name }: DataTypeDefinition): boolean {
    const hooks = this.#types.get(name);
    const waits = hooks?.check ?? hooks?.inTransaction ?? hooks?.computeOn;
    if (waits !== undefined || this.#sources.has(name)) return true;
    return this.#reaches(name, new Set([name]));
  }

  compute(type: DataTypeDefinition, object: StoredObject): StoredObject {
    const compute = this.#types.get(type.name)?.compute;
    if (compute === undefined) return object;
    let result: Record<string, JsonValue> | null = null;
    for (const [name, computed] of Object.entries(compute)) {
      const value = (computed(object) ?? null) as JsonValue;
      if (jsonEqual(value, object[name] ?? null)) continue;
      result ??= Object.assign(emptyObject(), object);
      result[name] = value;
    }
    return (result as StoredObject | null) ?? object;
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
    await context.hooks.run(
      `check of ${type.name}`,
      { snapshot: unit.transaction, unit: null },
      context.hooks.further,
      (call, reader) => check(wanted as readonly Wanted<never>[], call, reader),
    );
  }

  /** Until nothing is new: what computeOn changes may be followed by others. */
  async afterWrites(
    _type: DataTypeDefinition,
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    for (let round = 0; ; round += 1) {
      const news = takeNews(unit);
      if (news.size === 0) return;
      if (round >= MAX_HOOK_DEPTH) {
        throw new HookHandleError(
          `Computed properties follow each other more than ${round} times.`,
        );
      }
      for (const [name, type] of this.#dataTypes)
        await this.#follow(name, type, news, unit, context);
      for (const [name, changes] of news) await this.#tell(name, changes, unit, context);
      await unit.flush();
    }
  }

  async #tell(
    name: string,
    changes: Changes<StoredObject>,
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    const hooks = this.#types.get(name);
    const { further } = context.hooks;
    if (hooks?.afterCommit !== undefined) {
      const after = hooks.afterCommit.bind(hooks);
      context.hooks.keep(
        `afterCommit of ${name}`,
        // All that the transaction has done to the type by its end, once.
        (call) => after((unit.changes().get(name) ?? changes) as Changes<never>, call),
        further,
      );
    }
    if (hooks?.inTransaction === undefined) return;
    const inTransaction = hooks.inTransaction.bind(hooks);
    await context.hooks.run(
      `inTransaction of ${name}`,
      { snapshot: unit.transaction, unit },
      further,
      (call, tx) => inTransaction(changes as Changes<never>, call, tx),
    );
  }

  /** Brings the computed properties that follow what changed to their new values. */
  async #follow(
    name: string,
    type: DataTypeDefinition,
    news: News,
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    for (const property of type.properties) {
      if (property.computed?.kind !== 'on') continue;
      const changes = relevant(news, property.computed.sources);
      const valuesOf = this.#types.get(name)?.computeOn?.[property.name];
      if (changes === null || valuesOf === undefined) continue;
      const values = await context.hooks.run(
        `computeOn of ${name}.${property.name}`,
        { snapshot: unit.transaction, unit: null },
        context.hooks.further,
        (call, reader) =>
          valuesOf(changes as Readonly<Record<string, Changes<never>>>, call, reader),
      );
      await this.#put(type, property.name, values, unit, context);
    }
    await unit.flush();
  }

  async #put(
    type: DataTypeDefinition,
    property: string,
    values: ReadonlyMap<string, unknown>,
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void> {
    if (values.size === 0) return;
    const { transaction } = unit;
    const rows = await transaction.get(type, [...values.keys()], type.properties, 100_000_000);
    const index = indexOf(type);
    for (const row of rows) {
      const before = unit.current(type, row.id) ?? row;
      const value = (values.get(row.id) ?? null) as JsonValue;
      if (jsonEqual(value, before[property] ?? null)) continue;
      const after = Object.assign(emptyObject(), before, { [property]: value });
      after[index.roles.updated.name] = timeOfUpdate(
        { index, now: clock(context.services) },
        before,
      );
      unit.update(type, before, after as StoredObject);
    }
  }

  /** Whether a destroy of the type can reach, by references, one whose hooks wait. */
  #reaches(name: string, seen: Set<string>): boolean {
    for (const type of this.#dataTypes.values()) {
      const refers = type.properties.some(
        ({ reference }) => reference?.type === name && reference.onDestroy !== 'restrict',
      );
      if (!refers || seen.has(type.name)) continue;
      seen.add(type.name);
      const hooks = this.#types.get(type.name);
      if (hooks?.inTransaction !== undefined || this.#sources.has(type.name)) return true;
      if (this.#reaches(type.name, seen)) return true;
    }
    return false;
  }
}

/** The news of the source types, where a source property is among what changed; else null. */
function relevant(
  news: News,
  sources: readonly { readonly type: string; readonly property: string }[],
): Readonly<Record<string, Changes<StoredObject>>> | null {
  const result = emptyObject<Changes<StoredObject>>();
  let any = false;
  for (const { type, property } of sources) {
    const changes = news.get(type);
    if (changes === undefined) continue;
    const changed = changes.updated.some(
      ({ before, after }) => !jsonEqual(before[property] ?? null, after[property] ?? null),
    );
    if (!changed && changes.created.length + changes.destroyed.length === 0) continue;
    result[type] = changes;
    any = true;
  }
  return any ? result : null;
}
