import type { AnsweredDefinition, DataTypeDefinition } from '../capability/definition.js';
import type { AskedValues } from '../methods/answered-index.js';
import { HookError } from '../methods/hook-errors.js';
import { complaintsOf, quoted, sentence } from '../methods/issues.js';
import { excerpt } from '../protocol/excerpt.js';
import { emptyObject, type JsonObject } from '../protocol/json.js';
import type { Steps } from '../runtime/paused-work.js';
import type { StoredObject } from '../store/port.js';
import { copyValueSteps } from './values.js';

/** The answers of a hook, and what was asked for. */
interface AnswerScene {
  readonly what: string;
  readonly type: DataTypeDefinition;
  readonly asked: AskedValues;
}

/**
 * Returns what was asked for of each object, taken out of the Map that a hook gave and held to what
 * the descriptor declares. Throws HookError. Pauses.
 */
export function* answeredMembers(
  scene: AnswerScene,
  objects: readonly StoredObject[],
  said: unknown,
): Steps<readonly JsonObject[]> {
  const { what } = scene;
  if (!(said instanceof Map)) throw new HookError(what, 'gave no Map of ids to members');
  const all: JsonObject[] = [];
  for (const { id } of objects) {
    const given: unknown = said.get(id) ?? {};
    if (typeof given !== 'object' || given === null)
      throw new HookError(what, `gave ${typeof given} for ${id}, which is no object`);
    all.push(yield* membersOf(scene, id, given));
  }
  return all;
}

/** Returns the members of one object. */
function* membersOf(scene: AnswerScene, id: string, given: object): Steps<JsonObject> {
  const { plain, families } = scene.asked;
  const members = emptyObject();
  const take = function* (definition: AnsweredDefinition, name: string): Steps<void> {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined) members[name] = yield* copyValueSteps(scene.what, value);
    else if (definition.nullable === true) members[name] = null;
    else if (definition.optional !== true)
      throw new HookError(scene.what, `gave no ${quoted(name)} for ${id}`);
  };
  for (const definition of plain) yield* take(definition, definition.name);
  judge(scene, members);
  for (const [family, names] of families) {
    for (const { name } of names) {
      yield* take(family, name);
      if (Object.hasOwn(members, name)) judge(scene, { [family.name]: members[name] ?? null });
    }
  }
  return members;
}

/** Throws HookError for members that the descriptor does not declare so. */
function judge({ what, type }: AnswerScene, members: JsonObject): void {
  const { answered } = type.validate;
  const complaints = answered === undefined ? [] : complaintsOf(answered, members);
  if (complaints.length === 0) return;
  const [first] = complaints;
  const value = excerpt(JSON.stringify(members[first?.member ?? ''] ?? null));
  const why = sentence(complaints.map(({ text }) => text));
  throw new HookError(what, `gave ${value}, which the descriptor does not allow: ${why}`);
}
