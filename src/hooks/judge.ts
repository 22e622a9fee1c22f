import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { HookError } from '../methods/hook-errors.js';
import { complaintsOf, Problems, quoted, sentence } from '../methods/issues.js';
import { complaintsOfServerValues } from '../methods/set/server-values.js';
import { canonicalSteps } from '../methods/set/value.js';
import { indexOf, isVisible } from '../methods/type-index.js';
import { excerpt } from '../protocol/excerpt.js';
import {
  emptyObject,
  isJsonObject,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../protocol/json.js';
import { finish, type Steps } from '../runtime/slices.js';
import { detachedSteps, ForeignValueError } from './values.js';

/** Hooks know ids, no creation ids. */
const NO_CREATION_IDS = { earlier: new Map(), own: new Map(), ownType: '' };

/** What a hook gave, as JSON of the engine's own; HookError where it is none. */
export function given(what: string, value: unknown): JsonValue {
  return finish(givenSteps(what, value));
}

/** The same, with pauses. */
function* givenSteps(what: string, value: unknown): Steps<JsonValue> {
  try {
    return yield* detachedSteps(value);
  } catch (error) {
    if (!(error instanceof ForeignValueError)) throw error;
    throw new HookError(what, `gave ${error.message}`);
  }
}

/**
 * A computed value in its stored form, held to the property's schema. A wrong one is a HookError
 * that says which, and of a property that clients see also the value.
 */
export function computedValue(
  what: string,
  type: DataTypeDefinition,
  property: PropertyDefinition,
  value: unknown,
): JsonValue {
  const index = indexOf(type);
  const problems = new Problems();
  const { name } = property;
  const scene = { createdIds: NO_CREATION_IDS, problems, inexact: [] };
  const canonical = finish(canonicalSteps(property, given(what, value ?? null), scene));
  const judged = Object.assign(emptyObject(), { [name]: canonical });
  const complaints = complaintsOfServerValues(index, judged).map(({ text }) => text);
  if (problems.any) complaints.push(problems.toSetError().description);
  if (complaints.length === 0) return judged[name] ?? null;
  const shown = isVisible(property) ? ` ${excerpt(JSON.stringify(canonical))}` : ' a value';
  throw new HookError(what, `gave${shown} for ${type.name}.${name}: ${sentence(complaints)}`);
}

/** What a computeOn said: by id, each value as `computedValue` has it. */
export function computedValues(
  what: string,
  type: DataTypeDefinition,
  property: PropertyDefinition,
  said: unknown,
): ReadonlyMap<string, JsonValue> {
  if (!(said instanceof Map)) throw new HookError(what, 'gave no Map of ids to values');
  const values = new Map<string, JsonValue>();
  for (const [id, value] of said as ReadonlyMap<unknown, unknown>) {
    if (typeof id !== 'string') throw new HookError(what, `gave a Map with a ${typeof id} as id`);
    values.set(id, computedValue(what, type, property, value));
  }
  return values;
}

/** The further members of a response, or HookError where the descriptor declares other ones. */
export function furtherMembers(
  what: string,
  { validateResponse }: MethodDefinition,
  value: unknown,
): JsonObject {
  const members = objectGiven(what, 'response members', value);
  const complaints =
    validateResponse === undefined
      ? Object.keys(members).map((name) => `${quoted(name)} is not declared`)
      : complaintsOf(validateResponse, members).map(({ text }) => text);
  if (complaints.length === 0) return members;
  const why = `gave response members that its descriptor does not declare: ${sentence(complaints)}`;
  throw new HookError(what, why);
}

/** The arguments that a `before` gets. */
export interface OfferedArguments {
  /** The client's own, without the further ones. */
  readonly sent: JsonObject;
  /** The copy of them that the hook got. */
  readonly offered: JsonObject;
  readonly further: JsonObject;
}

/**
 * Standard arguments in the place of the client's, or HookError where they are none. Those of the
 * client's that the hook gives back stay as they came: a filter may nest deeper than a hook's own
 * JSON, and who reads it says so. Pauses.
 */
export function* replacedArguments(
  what: string,
  { validateArguments, furtherArguments = [] }: MethodDefinition,
  { sent, offered, further }: OfferedArguments,
  value: unknown,
): Steps<JsonObject> {
  const [kept, own] = givenBack(sent, offered, value);
  const replaced = yield* givenSteps(what, own ?? null);
  const standard = { ...kept, ...requireObject(what, 'arguments', replaced) };
  const complaints = Object.keys(standard)
    .filter((name) => furtherArguments.includes(name))
    .map((name) => `${quoted(name)} is no standard argument`);
  const whole = { ...standard, ...further };
  complaints.push(...complaintsOf(validateArguments, whole).map(({ text }) => text));
  if (complaints.length === 0) return standard;
  throw new HookError(
    what,
    `gave arguments that the method does not take: ${sentence(complaints)}`,
  );
}

/** The client's arguments among what a hook gave, and the rest of it. */
function givenBack(
  sent: JsonObject,
  offered: JsonObject,
  value: unknown,
): readonly [JsonObject, unknown] {
  if (!isJsonObject(value as JsonValue)) return [{}, value];
  if (!isPlainObject(value as object)) return [{}, value];
  const kept = emptyObject();
  const own = emptyObject();
  for (const [name, member] of Object.entries(value as JsonObject)) {
    if (Object.hasOwn(offered, name) && offered[name] === member) kept[name] = sent[name] ?? null;
    else own[name] = member;
  }
  return [kept, own];
}

/** The response of an own method, held to what its descriptor declares. */
export function ownResponse(
  what: string,
  { validateResponse }: MethodDefinition,
  value: unknown,
): JsonObject {
  const response = objectGiven(what, 'response', value);
  const complaints = validateResponse === undefined ? [] : complaintsOf(validateResponse, response);
  if (complaints.length === 0) return response;
  const why = sentence(complaints.map(({ text }) => text));
  throw new HookError(what, `gave a response that its descriptor does not declare: ${why}`);
}

/** A JSON object that a hook gave; `part` says for what. */
export function objectGiven(what: string, part: string, value: unknown): JsonObject {
  return requireObject(what, part, given(what, value ?? null));
}

function requireObject(what: string, part: string, own: JsonValue): JsonObject {
  if (isJsonObject(own)) return own;
  throw new HookError(what, `gave ${excerpt(JSON.stringify(own))} for ${part}, which is no object`);
}
