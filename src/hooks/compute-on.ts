import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import type { Changes, HookCall } from '../capability/hooks.js';
import { HookHandleError } from '../methods/hook-errors.js';
import type { Registry } from '../methods/registry.js';
import { SINGLETON_ID, unwrittenSingleton } from '../methods/set/draft.js';
import { stampUpdate } from '../methods/set/update.js';
import { indexOf, putValue } from '../methods/type-index.js';
import type { Upkeep } from '../methods/work/aggregate-upkeep.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import { jsonEqual } from '../protocol/equal.js';
import { emptyObject } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';
import type { TimedHook } from './budget.js';
import type { HookHandle } from './handle.js';
import { computedValues } from './judge.js';
import type { News, NewsReader } from './news.js';
import { MAX_HOOK_DEPTH } from './scope.js';
import { namedHook } from './timed.js';
import { frozenInSlices } from './walks.js';

/** A transaction in which computed properties follow what changes. */
export interface Following {
  readonly registry: Registry;
  readonly unit: UnitOfWork;
  readonly upkeep: Pick<Upkeep, 'compute' | 'now'>;
  /** Runs a hook that reads in the transaction. */
  readonly run: <T>(
    hook: TimedHook,
    work: (call: HookCall, reader: HookHandle) => T | Promise<T>,
  ) => Promise<T>;
  /** Returns whether a property follows now; where left out, each does. */
  readonly isIncluded?: (type: DataTypeDefinition, property: PropertyDefinition) => boolean;
}

/** Brings computed properties that follow others up to date, and those that follow them in turn. */
export async function updateComputed(following: Following, reader: NewsReader): Promise<void> {
  for (let round = 0; ; round += 1) {
    const news = new Map(reader.take());
    if (news.size === 0) return;
    if (round >= MAX_HOOK_DEPTH) {
      throw new HookHandleError(
        'Computed properties depend on each other in a circle, or in too long a chain: after ' +
          `${round} rounds ${[...news.keys()].join(', ')} still changed.`,
      );
    }
    for (const type of following.registry.dataTypes.values()) {
      await followNews(following, type, news);
      await following.unit.flush();
    }
  }
}

async function followNews(
  following: Following,
  type: DataTypeDefinition,
  news: ReadonlyMap<string, News[1]>,
): Promise<void> {
  const { registry, unit, run, isIncluded = () => true } = following;
  const { computeOn } = registry.typeHooks.get(type.name) ?? {};
  for (const property of type.properties) {
    const { name, computed } = property;
    if (computed?.kind !== 'on' || !isIncluded(type, property)) continue;
    const what = `computeOn of ${type.name}.${name}`;
    const valuesOf = namedHook(what, computeOn?.[name]);
    const changes = changesOf(computed.sources, news);
    if (changes === null || valuesOf === undefined) continue;
    const offered = await frozenInSlices(changes, unit.slices);
    const said = await run(valuesOf, (call, reader) =>
      valuesOf.run(offered as Readonly<Record<string, Changes<never>>>, call, reader),
    );
    await putValues(following, type, property, computedValues(what, type, property, said));
  }
}

/**
 * Returns the news of the source types, where a source property is among what changed; else null.
 */
function changesOf(
  sources: readonly { readonly type: string; readonly property: string }[],
  news: ReadonlyMap<string, News[1]>,
): Readonly<Record<string, News[1]>> | null {
  const result = emptyObject<News[1]>();
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

/** Puts values of a property, by id, into the unit. */
async function putValues(
  { unit, upkeep: { compute, now } }: Following,
  type: DataTypeDefinition,
  property: PropertyDefinition,
  values: ReturnType<typeof computedValues>,
): Promise<void> {
  if (values.size === 0) return;
  const index = indexOf(type);
  const ids = [...values.keys()];
  const rows = await unit.transaction.get(type, ids, type.properties);
  const put = (before: StoredObject, stored: StoredObject | null): void => {
    const value = values.get(before.id) ?? null;
    if (jsonEqual(value, before[property.name] ?? null)) return;
    const after = Object.assign(emptyObject(), before);
    putValue(after, property, value);
    if (now !== null && !unit.isNew(type, before.id))
      stampUpdate(after, { index, now: now() }, before);
    unit.update(type, before, compute(type, after as StoredObject), stored);
  };
  for (const row of rows) {
    const before = unit.current(type, row.id) ?? row;
    put(before, before);
  }
  if (type.singleton === true && values.has(SINGLETON_ID) && rows.length === 0) {
    // Another property may have made it a moment ago.
    put(unit.current(type, SINGLETON_ID) ?? unwrittenSingleton(index), null);
  }
}
