import type { SetArguments } from '../../capability/standard.js';
import { MethodError, type SetError, setError } from '../../protocol/errors.js';
import type { IdGenerator } from '../../protocol/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { quoted, sentence } from '../issues.js';
import { declaredMembers, firstToken } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';
import { inOrder } from './creation-order.js';
import { type Author, type Birth, draftCreate, type PlannedCreate } from './draft.js';
import type { CreationIds } from './value.js';

/** One entry of `update`, its names as declared; not yet applied to anything. */
export interface PlannedUpdate {
  /** The key of `update` as sent: an id, or "#" and a creation id. */
  readonly key: string;
  readonly patch: PlannedPatch;
}

export type PlannedPatch =
  | { readonly kind: 'patch'; readonly object: JsonObject }
  | { readonly kind: 'refused'; readonly error: SetError };

/** What planning needs beside the arguments. */
export interface PlanScene {
  /** Of earlier calls. */
  readonly createdIds: ReadonlyMap<string, string>;
  /** maxObjectsInSet. */
  readonly maximum: number;
  readonly ids: IdGenerator;
  readonly author?: Author;
}

/** The arguments of a /set, judged as far as that goes without data. */
export interface SetPlan {
  /** In the order in which they are judged (D13). */
  readonly creates: readonly PlannedCreate[];
  readonly createdIds: CreationIds;
  readonly author: Author;
  readonly updates: readonly PlannedUpdate[];
  /** As sent, each once. */
  readonly destroys: readonly string[];
}

/**
 * Pauses before each object, so that others can have a turn. Throws `requestTooLarge` where
 * creates, updates and destroys together are more than `maximum` (5.3).
 */
export function* planSet(
  index: TypeIndex,
  args: SetArguments,
  scene: PlanScene,
): Generator<void, SetPlan> {
  const create = args.create ?? {};
  const creates = Object.keys(create);
  const updates = Object.entries(args.update ?? {});
  const others = creates.length + updates.length;
  const destroys = collectIds(args.destroy ?? NO_IDS, scene.maximum - others);
  requireObjects(others + destroys.length, scene.maximum);
  const { author = 'client' } = scene;
  const own = new Map<string, string>();
  const births = creates.map((key): Birth => {
    const birth = scene.ids.next('r');
    own.set(key, birth.id);
    return birth;
  });
  const createdIds = { earlier: scene.createdIds, own, ownType: index.type.name };
  const planned: PlannedCreate[] = [];
  // Only now: each may refer to any other.
  let at = 0;
  for (const birth of births) {
    yield;
    const key = creates[at] ?? '';
    at += 1;
    const draft = yield* draftCreate(index, create[key] ?? null, createdIds, author);
    planned.push({ key, draft, birth });
  }
  const patches: PlannedUpdate[] = [];
  for (const [key, value] of updates) {
    yield;
    patches.push({ key, patch: planPatch(index, value) });
  }
  return {
    creates: index.references.length > 0 ? yield* inOrder(index, planned) : planned,
    createdIds,
    author,
    updates: patches,
    destroys,
  };
}

const NO_IDS: readonly string[] = Object.freeze([]);

/** Returns each of `ids` once; stops at the first that is beyond `maximum`. */
function collectIds(ids: readonly string[], maximum: number): readonly string[] {
  if (ids.length === 0) return ids;
  const found = new Set<string>();
  for (const id of ids) {
    found.add(id);
    if (found.size > maximum) break;
  }
  return [...found];
}

export function requireObjects(count: number, maximum: number): void {
  if (count <= maximum) return;
  throw new MethodError(
    'requestTooLarge',
    `The call is about more objects than maxObjectsInSet (${maximum}).`,
  );
}

function planPatch(index: TypeIndex, value: JsonValue): PlannedPatch {
  if (!isJsonObject(value)) {
    const error = setError('invalidPatch', 'A PatchObject must be an object.');
    return { kind: 'refused', error };
  }
  const { acceptSnakeCase } = index.type;
  const { object, doubled } = declaredMembers(value, index.properties, acceptSnakeCase, firstToken);
  if (doubled.length === 0) return { kind: 'patch', object };
  const why = sentence(doubled.map((name) => `${quoted(name)} is given in both spellings`));
  return {
    kind: 'refused',
    error: setError('invalidProperties', why, { properties: doubled }),
  };
}
