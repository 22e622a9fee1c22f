import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { HookError } from '../methods/hook-errors.js';
import { type Complaint, complaintsOf, Problems, quoted, sentence } from '../methods/issues.js';
import { canonicalSteps, complaintsOfServerValues, isServerSet } from '../methods/set/draft.js';
import { indexOf, isVisible } from '../methods/type-index.js';
import { isSetErrorType, type SetError } from '../protocol/errors.js';
import { excerpt } from '../protocol/excerpt.js';
import {
  emptyObject,
  isJsonObject,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../protocol/json.js';
import { finish, type Steps } from '../runtime/paused-work.js';
import { copyValue, copyValueSteps } from './values.js';

/** Hooks know ids, no creation ids. */
const NO_CREATION_IDS = { earlier: new Map(), own: new Map(), ownType: '' };

/**
 * Returns a computed value in its stored form, held to the property's schema. A wrong one is a
 * HookError that says which, and of a property that clients see also the value.
 */
export function computedValue(
  what: string,
  type: DataTypeDefinition,
  property: PropertyDefinition,
  value: unknown,
): JsonValue {
  const index = indexOf(type);
  return judgedValue(what, { type, property }, value, (judged) =>
    complaintsOfServerValues(index, judged),
  );
}

/** Returns the same of a value that a file of `evolve/` gives, of any property. */
export function convertedValue(
  what: string,
  type: DataTypeDefinition,
  property: PropertyDefinition,
  value: unknown,
): JsonValue {
  if (isServerSet(property)) return computedValue(what, type, property, value);
  const { update } = type.validate;
  return judgedValue(what, { type, property }, value, (judged) => complaintsOf(update, judged));
}

function judgedValue(
  what: string,
  { type, property }: { readonly type: DataTypeDefinition; readonly property: PropertyDefinition },
  value: unknown,
  complaintsAbout: (judged: Record<string, JsonValue>) => readonly Complaint[],
): JsonValue {
  const isAbsent = (value ?? null) === null && property.optional === true;
  if (isAbsent && !property.nullable) return null;
  const problems = new Problems();
  const { name } = property;
  const scene = { createdIds: NO_CREATION_IDS, problems, inexact: [], share: type.share };
  const canonical = finish(canonicalSteps(property, copyValue(what, value ?? null), scene));
  const judged = Object.assign(emptyObject(), { [name]: canonical });
  const complaints = textsOf(complaintsAbout(judged));
  if (problems.any) complaints.push(problems.toSetError().description);
  const shown = isVisible(property) ? excerpt(JSON.stringify(canonical)) : 'a value';
  requireNone(what, `${shown} for ${type.name}.${name}`, complaints);
  return judged[name] ?? null;
}

/** Returns a computeOn's values by id, each judged by `computedValue`. Throws HookError. */
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

/**
 * Returns the further members of a response, or HookError where the descriptor declares other ones.
 */
export function furtherMembers(
  what: string,
  { validateResponse }: MethodDefinition,
  value: unknown,
): JsonObject {
  const members = objectGiven(what, 'response members', value);
  const complaints =
    validateResponse === undefined
      ? Object.keys(members).map((name) => `${quoted(name)} is not declared`)
      : textsOf(complaintsOf(validateResponse, members));
  requireNone(what, 'response members that its descriptor does not declare', complaints);
  return members;
}

/** Returns the response of an own method, held to what its descriptor declares. */
export function ownResponse(
  what: string,
  { validateResponse }: MethodDefinition,
  value: unknown,
): JsonObject {
  const response = objectGiven(what, 'response', value);
  const complaints = validateResponse === undefined ? [] : complaintsOf(validateResponse, response);
  requireNone(what, 'a response that its descriptor does not declare', textsOf(complaints));
  return response;
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
 * Returns standard arguments in the place of the client's, or throws HookError where they are none.
 * Those of the client's that the hook gives back stay as they came: a filter may nest deeper than a
 * hook's own JSON, and who reads it says so. Pauses.
 */
export function* replacedArguments(
  what: string,
  { validateArguments, furtherArguments = [] }: MethodDefinition,
  { sent, offered, further }: OfferedArguments,
  value: unknown,
): Steps<JsonObject> {
  const [kept, own] = givenBack(sent, offered, value);
  const replaced = yield* copyValueSteps(what, own ?? null);
  const standard = { ...kept, ...requireObject(what, 'arguments', replaced) };
  const complaints = Object.keys(standard)
    .filter((name) => furtherArguments.includes(name))
    .map((name) => `${quoted(name)} is no standard argument`);
  const whole = { ...standard, ...further };
  complaints.push(...textsOf(complaintsOf(validateArguments, whole)));
  requireNone(what, 'arguments that the method does not take', complaints);
  return standard;
}

/** Returns the client's arguments among what a hook gave, and the rest of it. */
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

/** Returns a refusal by a `check`, or HookError where it is no SetError that the type may have. */
export function judgedRefusal(
  what: string,
  dataType: DataTypeDefinition,
  error: unknown,
): SetError {
  const own = copyValue(what, error ?? null);
  const { type, description, ...members } = isJsonObject(own) ? own : {};
  if (typeof type !== 'string' || typeof description !== 'string') {
    throw new HookError(
      what,
      'refused an object by what is no SetError: { type, description } with two texts',
    );
  }
  const { errors = [], validate } = dataType;
  const isOwn = errors.includes(type);
  if (!isOwn && !isSetErrorType(type)) {
    const legal = errors.length === 0 ? '' : `${errors.join(', ')} and `;
    throw new HookError(
      what,
      `refused an object by the type ${excerpt(JSON.stringify(type))}: ${dataType.name} has ` +
        `${legal}those of RFC 8620. Others stand under "errors" of the type in the descriptor`,
    );
  }
  const complaints: string[] = [];
  const further = emptyObject();
  for (const [name, value] of Object.entries(members)) {
    const isLegal = STANDARD_MEMBERS.get(name);
    if (isLegal === undefined) further[name] = value;
    else if (!isLegal(value)) complaints.push(`${quoted(name)} is wrong`);
  }
  if (isOwn && validate.errors !== undefined)
    complaints.push(...textsOf(complaintsOf(validate.errors, { [type]: further })));
  else complaints.push(...Object.keys(further).map((name) => `${quoted(name)} is not declared`));
  requireNone(what, `members that the error ${type} does not have`, complaints);
  return own as unknown as SetError;
}

/** The members that every SetError may have beside its type and description. */
const STANDARD_MEMBERS: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ['properties', areTexts],
  ['objectIds', areTexts],
  ['existingId', isText],
]);

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}

function areTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every(isText);
}

/** Returns a JSON object that a hook gave; `part` says for what. */
export function objectGiven(what: string, part: string, value: unknown): JsonObject {
  return requireObject(what, part, copyValue(what, value ?? null));
}

function requireObject(what: string, part: string, own: JsonValue): JsonObject {
  if (isJsonObject(own)) return own;
  throw new HookError(what, `gave ${excerpt(JSON.stringify(own))} for ${part}, which is no object`);
}

function textsOf(complaints: readonly Complaint[]): string[] {
  return complaints.map(({ text }) => text);
}

function requireNone(what: string, wrong: string, complaints: readonly string[]): void {
  if (complaints.length > 0) throw new HookError(what, `gave ${wrong}: ${sentence(complaints)}`);
}
