import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import type { Changes } from '../capability/hooks.js';
import type { CallContext } from '../methods/context.js';
import { WORKING_OCTETS } from '../methods/long-calls.js';
import { SINGLETON_ID, unwrittenSingleton } from '../methods/set/singleton.js';
import { timeOfUpdate } from '../methods/set/update.js';
import { clock } from '../methods/states.js';
import { indexOf } from '../methods/type-index.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import { jsonEqual } from '../protocol/equal.js';
import { emptyObject } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';
import type { Computes } from './compute.js';
import { computedValues } from './judge.js';
import type { News } from './news.js';

/** The news of the source types, where a source property is among what changed; else null. */
export function relevantNews(
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

export interface FollowScene {
  /** The hook, for messages. */
  readonly what: string;
  readonly type: DataTypeDefinition;
  readonly property: PropertyDefinition;
  readonly unit: UnitOfWork;
  readonly context: CallContext;
  readonly computes: Computes;
}

/** Puts what a computeOn said into the unit: the values are judged before any is stored. */
export async function putValues(scene: FollowScene, said: unknown): Promise<void> {
  const { what, type, property, unit, context, computes } = scene;
  const values = computedValues(what, type, property, said);
  if (values.size === 0) return;
  const index = indexOf(type);
  const ids = [...values.keys()];
  const rows = await unit.transaction.get(type, ids, type.properties, WORKING_OCTETS);
  const now = clock(context.services);
  const put = (before: StoredObject, stored: StoredObject | null): void => {
    const value = values.get(before.id) ?? null;
    if (jsonEqual(value, before[property.name] ?? null)) return;
    const after = Object.assign(emptyObject(), before, { [property.name]: value });
    if (!unit.isNew(type, before.id)) {
      after[index.roles.updated.name] = timeOfUpdate({ index, now }, before);
    }
    unit.update(type, before, computes.apply(type, after as StoredObject), stored);
  };
  for (const row of rows) {
    const before = unit.current(type, row.id) ?? row;
    put(before, before);
  }
  if (type.singleton === true && values.has(SINGLETON_ID) && rows.length === 0) {
    put(unwrittenSingleton(index), null);
  }
}
