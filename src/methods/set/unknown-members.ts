import { isAnswered } from '../../capability/answered.js';
import type { PropertyDefinition } from '../../capability/definition.js';
import { UNKNOWN_BOUNDS, UNKNOWN_COLUMN } from '../../capability/unknown-properties.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { Problems } from '../issues.js';
import { declaredName, type TypeIndex } from '../type-index.js';

/** Members of objects that their type keeps without declaring them. */

/** As a property: null in a patch removes it. */
export const MEMBER: PropertyDefinition = Object.freeze({
  name: '',
  column: UNKNOWN_COLUMN,
  kind: 'json',
  nullable: false,
  optional: true,
  required: false,
  access: 'mutable',
});

/** Returns such a member as a property; notes why there can be none, and returns undefined then. */
export function unknownMember(
  index: TypeIndex,
  name: string,
  problems: Problems,
): PropertyDefinition | undefined {
  const { unknown, names, type } = index;
  const isInherited = Object.hasOwn(Object.prototype, name);
  if (answeredName(index, name) !== null) problems.add(name, 'is computed when it is read');
  else if (unknown === null || names.has(name) || isInherited)
    problems.add(name, `is no property of ${type.name}`);
  else if (name === '') problems.add(name, 'has a name without characters');
  else if (name.length > UNKNOWN_BOUNDS.name && [...name].length > UNKNOWN_BOUNDS.name)
    problems.add(name, `has a name of more than ${UNKNOWN_BOUNDS.name} characters`);
  else if (name.includes('\u0000')) problems.add(name, 'has a name with U+0000');
  else return { ...MEMBER, name };
  return undefined;
}

/** Returns the declared name of the answered property that a client means; null for none. */
export function answeredName({ answered, type }: TypeIndex, name: string): string | null {
  if (answered === null) return null;
  const declared = declaredName(name, answered.plain, type.acceptSnakeCase);
  return isAnswered(type, declared) ? declared : null;
}

/** Returns the names of such members of an object. */
export function unknownNames({ unknown, names }: TypeIndex, object: object): readonly string[] {
  return unknown === null ? [] : Object.keys(object).filter((name) => !names.has(name));
}

/** Notes that an object would have too many of them, or too large ones, at those in `given`. */
export function judgeUnknown(
  index: TypeIndex,
  object: JsonObject,
  given: readonly string[],
  problems: Problems,
): void {
  const names = unknownNames(index, object);
  const { count, octets } = UNKNOWN_BOUNDS;
  if (names.length > count)
    for (const name of given) problems.add(name, `is beyond the ${count} undeclared properties`);
  if (names.length > count) return;
  const members = emptyObject();
  for (const name of names) members[name] = object[name] ?? null;
  if (Buffer.byteLength(JSON.stringify(members)) <= octets) return;
  for (const name of given) problems.add(name, `is beyond the ${octets} octets of undeclared ones`);
}
