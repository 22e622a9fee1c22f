import type { SetArguments } from '../../capability/standard.js';
import { MethodError, type SetError, setError } from '../../protocol/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { quoted, sentence } from '../issues.js';
import { firstToken, renameMembers } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';
import { type Draft, draftCreate } from './draft.js';

/** One entry of `update`, its names as declared; not yet applied to anything. */
export interface PlannedUpdate {
  /** The key of `update` as sent: an id, or "#" and a creation id. */
  readonly key: string;
  readonly patch: PlannedPatch;
}

export type PlannedPatch =
  | { readonly kind: 'patch'; readonly object: JsonObject }
  | { readonly kind: 'refused'; readonly error: SetError };

/** The arguments of a /set, judged as far as that goes without data. */
export interface SetPlan {
  readonly creates: ReadonlyMap<string, Draft>;
  readonly updates: readonly PlannedUpdate[];
  /** As sent, each once. */
  readonly destroys: readonly string[];
}

/**
 * Throws `requestTooLarge` where creates, updates and destroys together are more than `maximum`
 * (5.3).
 */
export function planSet(
  index: TypeIndex,
  args: SetArguments,
  createdIds: ReadonlyMap<string, string>,
  maximum: number,
): SetPlan {
  const creates = Object.entries(args.create ?? {});
  const updates = Object.entries(args.update ?? {});
  const destroys = [...new Set(args.destroy ?? [])];
  requireObjects(creates.length + updates.length + destroys.length, maximum);
  return {
    creates: new Map(creates.map(([key, value]) => [key, draftCreate(index, value, createdIds)])),
    updates: updates.map(([key, value]) => ({ key, patch: planPatch(index, value) })),
    destroys,
  };
}

export function requireObjects(count: number, maximum: number): void {
  if (count <= maximum) return;
  throw new MethodError(
    'requestTooLarge',
    `${count} objects are more than maxObjectsInSet (${maximum}).`,
  );
}

function planPatch(index: TypeIndex, value: JsonValue): PlannedPatch {
  if (!isJsonObject(value)) {
    const error = setError('invalidPatch', 'A PatchObject must be an object.');
    return { kind: 'refused', error };
  }
  const { acceptSnakeCase } = index.type;
  const { object, doubled } = renameMembers(value, index.properties, acceptSnakeCase, firstToken);
  if (doubled.length === 0) return { kind: 'patch', object };
  const why = sentence(doubled.map((name) => `${quoted(name)} is given in both spellings`));
  return {
    kind: 'refused',
    error: setError('invalidProperties', why, { properties: doubled }),
  };
}
