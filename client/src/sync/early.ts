import type { JsonObject } from '../../../src/protocol/json.js';
import type { Replica } from '../store/replica.js';
import type { Outcome } from './outcomes.js';

/** The answers of a request as far as they are about a type. */
export interface News {
  /** Ids that /changes, or a sweep, has told of. */
  readonly ids: ReadonlySet<string>;
  /** There are no further changes. */
  readonly isWhole: boolean;
}

/**
 * The answer to a create puts its object ahead of the cursor. Where another client destroys the
 * object before /changes has told of it, /changes never tells of it (RFC 8620 5.2). And an answer
 * that comes again tells how it was then. So such an object is early until /changes has told of it,
 * and goes where all changes are there without it. Takes such objects out of `objects`, and returns
 * the early ones by their types.
 */
export function findEarly(
  replica: Replica,
  outcomes: readonly Outcome[],
  news: ReadonlyMap<string, News>,
  objects: Map<string, Map<string, JsonObject | null>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const early = new Map<string, ReadonlySet<string>>();
  const made = outcomes.flatMap((one) => {
    if (!one.isMade || one.write.kind !== 'create') return [];
    const { type } = one.write;
    return replica.base(type, replica.keyOf(one.id)) === undefined ? [[type, one.id] as const] : [];
  });
  for (const type of new Set([...made.map(([each]) => each), ...news.keys()])) {
    const { ids = NONE, isWhole = false } = news.get(type) ?? {};
    const ofType = made.flatMap(([each, id]) => (each === type ? [id] : []));
    const rest = [...replica.early(type), ...ofType].filter((id) => !ids.has(id));
    early.set(type, new Set(isWhole ? [] : rest));
    if (!isWhole || rest.length === 0) continue;
    const changed = objects.get(type) ?? new Map<string, JsonObject | null>();
    objects.set(type, changed);
    for (const id of rest) changed.set(id, null);
  }
  return early;
}

const NONE: ReadonlySet<string> = new Set();
