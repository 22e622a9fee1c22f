import type {
  PropertyDefinition,
  ReferenceDefinition,
  ShareDefinition,
} from '../../capability/definition.js';
import { FORMATS } from '../../capability/formats/index.js';
import { singleReference } from '../../capability/named-references.js';
import { replaceSteps } from '../../capability/places.js';
import { presentTime } from '../../capability/present-time.js';
import { isOfEngine } from '../../capability/stored-properties.js';
import { formedSteps } from '../../capability/text-forms.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { type SetError, setError } from '../../protocol/errors.js';
import {
  declaredObject,
  InexactNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import type { StoredObject } from '../../store/port.js';
import { normalForm } from '../../text/index.js';
import { resolveId } from '../creation-ids.js';
import { type Complaint, complaintsOf, judgeProperties, Problems } from '../issues.js';
import { declaredMembers, type TypeIndex } from '../type-index.js';
import { NO_BLOB_CREATED, nothingCreated } from '../work/links.js';
import { type InexactPlace, inspectJson, ownInexact, takeNearest } from './json-values.js';
import { canonicalShares } from './share-values.js';
import { judgeUnknown, unknownMember } from './unknown-members.js';

/** An object that a client wants to exist: what it gave, judged but for the blobs it names. */
export interface Draft {
  /** As sent, names as declared; perhaps what was sent itself: its own members alone count. */
  readonly sent: JsonObject;
  /** As it would be stored. */
  readonly values: JsonObject;
  readonly problems: Problems;
  /** Set where it is no object at all. */
  readonly refused: SetError | null;
  /** Of a copy: the properties of the original that it goes without. They are null in `values`. */
  readonly removed?: readonly string[];
  /** Of a copy: the id of its original, if it names one. */
  readonly sourceId?: string | null;
}

export const IS_DOUBLED = 'is given in both spellings';

/** Of a hook that writes what others compute. */
export const IS_COMPUTED = 'is computed: it follows its sources';

/** The writer: a client, or a hook, which may give server-set and internal values, too. */
export type Author = 'client' | 'hook';

/** The context in which an entry of `create` is judged. */
export interface DraftScene {
  readonly index: TypeIndex;
  readonly createdIds: CreationIds;
  readonly author: Author;
  /** Names of the properties that must be given. */
  readonly required: readonly string[];
}

/** Judges an entry of a /set's `create` (RFC 8620 5.3), or the overrides of a /copy (5.4). */
export function* draftCreate(
  { index, createdIds, author, required }: DraftScene,
  value: JsonValue,
): Steps<Draft> {
  const problems = new Problems();
  if (!isJsonObject(value)) {
    const refused = setError('invalidProperties', `A ${index.type.name} must be an object.`, {
      properties: [],
    });
    return { sent: {}, values: {}, problems, refused };
  }
  const { acceptSnakeCase } = index.type;
  const { object, doubled } = declaredMembers(value, index.properties, acceptSnakeCase);
  for (const name of doubled) problems.add(name, IS_DOUBLED);
  const settable = declaredObject();
  const further: Record<string, JsonValue> = author === 'client' ? NOTHING : declaredObject();
  const scene: ValueScene = { createdIds, problems, inexact: [], share: index.type.share };
  let kept: string[] | null = null;
  const strides = new Strides();
  // V8 lists all names of an object in one step, above and below.
  yield;
  for (const name in object) {
    const sentValue = object[name] ?? null;
    if (strides.isOver() || (typeof sentValue === 'object' && sentValue !== null)) yield;
    const property = writableProperty(index, name, author);
    if (property === undefined) {
      const member = unknownMember(index, name, problems);
      if (member === undefined) continue;
      settable[name] = yield* canonicalSteps(member, sentValue, scene);
      kept ??= [];
      kept.push(name);
    } else if (isServerSet(property)) {
      if (author === 'client' || isOfEngine(property)) {
        problems.add(name, 'is set by the server alone');
      } else if (property.computed !== undefined) problems.add(name, IS_COMPUTED);
      else further[name] = yield* canonicalSteps(property, sentValue, scene);
    } else if (property.kind !== 'json')
      settable[name] = canonicalScalar(property, sentValue, scene);
    else settable[name] = yield* canonicalSteps(property, sentValue, scene);
  }
  const { update } = index.type.validate;
  problems.addComplaints(yield* judgeProperties(update, settable));
  if (author === 'hook') {
    problems.addComplaints(complaintsOfServerValues(index, further));
    Object.assign(settable, further);
  }
  if (scene.inexact.length > 0) takeNearest(scene.inexact);
  if (kept !== null) judgeUnknown(index, settable, kept, problems);
  for (const name of required) {
    if (!Object.hasOwn(settable, name)) problems.add(name, 'is missing');
  }
  return { sent: object, values: settable, problems, refused: null };
}

/** Internal properties are none for clients; hooks write them. */
export function writableProperty(
  index: TypeIndex,
  name: string,
  author: Author,
): PropertyDefinition | undefined {
  const property = index.properties.get(name);
  // Hooks have no values of their own.
  if (property?.perUser === true && author === 'hook') return undefined;
  if (property !== undefined || author === 'client') return property;
  return index.type.properties.find((each) => each.name === name && each !== index.unknown);
}

/** Returns whether a client must leave the property out of a create (RFC 8620 5.3). */
export function isServerSet(property: PropertyDefinition): boolean {
  const { access } = property;
  return access === 'serverSet' || access === 'internal' || isOfEngine(property);
}

/** The id of a new object and the time in ms that it embeds. */
export interface Birth {
  readonly id: string;
  readonly time: number;
  /** The id of the user who creates it; absent where that is a hook. */
  readonly creator?: string;
}

/** An entry of `create` and the id that it gets if it succeeds, so that others can refer to it. */
export interface PlannedCreate {
  /** Creation id. */
  readonly key: string;
  readonly draft: Draft;
  readonly birth: Birth;
}

/** Returns the SetError of a draft; null where it may be proposed. */
export function refusal({ refused, problems }: Draft): SetError | null {
  return refused ?? (problems.any ? problems.toSetError() : null);
}

const NOTHING: Record<string, JsonValue> = Object.freeze(declaredObject());

/** Returns the whole object: what was given, else the defaults (5.3). */
export function newObject(index: TypeIndex, values: JsonObject, birth: Birth): StoredObject {
  const { blank, defaultsToNow, roles } = index;
  // V8 copies a shape at once, but makes a shape member by member in several times as long.
  const object: Record<string, JsonValue> = { ...blank };
  for (const name in values) {
    const value = values[name] ?? null;
    // A property that has no default may be null, or absent.
    if (value !== null || !Object.hasOwn(blank, name)) object[name] = value;
  }
  for (const property of defaultsToNow) object[property.name] ??= presentTime(property, birth.time);
  const born = formatUtcDate(birth.time);
  object[roles.id.name] = birth.id;
  if (roles.created !== undefined) object[roles.created.name] = born;
  if (roles.updated !== undefined) object[roles.updated.name] = born;
  if (roles.creator !== undefined) object[roles.creator.name] = birth.creator ?? null;
  return object as StoredObject;
}

export const SINGLETON_ID = 'singleton';

/** Returns a singleton type's object as nobody has written it yet: its defaults, as of 1970. */
export function unwrittenSingleton(index: TypeIndex): StoredObject {
  return newObject(index, {}, { id: SINGLETON_ID, time: 0 });
}

export function singletonError(index: TypeIndex): SetError {
  const why = `There is exactly one ${index.type.name}; it has the id "${SINGLETON_ID}".`;
  return setError('singleton', why);
}

/** The creation ids that a "#" in a value can mean. */
export interface CreationIds {
  /** Of earlier calls. */
  readonly earlier: ReadonlyMap<string, string>;
  /** Of this call, whether or not they come to be: its own type's alone. */
  readonly own: ReadonlyMap<string, string>;
  readonly ownType: string;
}

/** Returns the id behind a "#" where objects of a type are meant: the call's own come first. */
export function resolveObjectId(ids: CreationIds, type: string, text: string): string | null {
  return type === ids.ownType
    ? resolveId(text, ids.own, ids.earlier)
    : resolveId(text, ids.earlier);
}

/** The context in which values become canonical, and the findings. */
export interface ValueScene {
  readonly createdIds: CreationIds;
  readonly problems: Problems;
  /** Numbers that no double holds exactly, within values that nobody else has. */
  readonly inexact: InexactPlace[];
  /** Of the type; absent where its objects are not shared. */
  readonly share?: ShareDefinition | undefined;
}

/**
 * Returns the value as the database stores it. A text is normalised and has the one form of its
 * format: a UTCDate has no zero fraction and no digits beyond milliseconds (RFC 8620 1.4). "#" ids
 * of blobs and objects become ids, -0 becomes 0. Notes a value that has no such form, and returns
 * it unchanged. A number that no double holds exactly stays for the validator, which may refuse it;
 * `value` remains what its author gave.
 */
export function* canonicalSteps(
  property: PropertyDefinition,
  value: JsonValue,
  scene: ValueScene,
): Steps<JsonValue> {
  const isShares = property.role === 'shareWith';
  if (property.kind !== 'json' || (typeof value === 'number' && !isShares)) {
    return canonicalScalar(property, value, scene);
  }
  const { problem, hasInexact } = yield* inspectJson(value);
  if (problem !== null) {
    scene.problems.add(property.name, problem);
    return value;
  }
  if (isShares) return canonicalShares(property, value, scene);
  if (value instanceof InexactNumber) return value.value;
  const resolved = yield* resolvedSteps(property, value, scene);
  const formed = property.texts ? yield* formedSteps(property, resolved) : resolved;
  return hasInexact ? yield* ownInexact(formed, scene.inexact) : formed;
}

/** Puts ids in the places of the creation ids in a value, wherever blobs or objects are named. */
function* resolvedSteps(
  property: PropertyDefinition,
  value: JsonValue,
  scene: ValueScene,
): Steps<JsonValue> {
  const { blobs, references = NO_REFERENCES } = property;
  let resolved = value;
  if (blobs !== undefined)
    resolved = yield* replaceSteps(blobs, value, (text) => resolveBlob(property, text, scene));
  for (const reference of references) {
    const { place } = reference;
    const scope = { ...scene, property, value };
    resolved = yield* replaceSteps([place], resolved, (text) =>
      resolveObject(reference, text, scope),
    );
  }
  return resolved;
}

const NO_REFERENCES: readonly ReferenceDefinition[] = Object.freeze([]);

/** Returns the same of a value that takes no time: of any property but JSON, or a number. */
function canonicalScalar(
  property: PropertyDefinition,
  value: JsonValue,
  scene: ValueScene,
): JsonValue {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  return typeof value === 'string' ? canonicalText(property, value, scene) : value;
}

function canonicalText(property: PropertyDefinition, text: string, scene: ValueScene): JsonValue {
  const reference = property.references && singleReference(property);
  if (reference !== undefined)
    return resolveObject(reference, text, { ...scene, property, value: text });
  if (property.blobs?.length) return resolveBlob(property, text, scene);
  const { normalize } = property;
  const normal = normalize === undefined ? text : normalForm(text, normalize);
  const formatName = property.kind === 'date' ? 'utc-date' : property.format;
  const format = formatName && FORMATS[formatName];
  if (format === undefined || format.canonical === null) return normal;
  if (format.isLegal(normal)) return format.canonical(normal);
  scene.problems.add(property.name, format.message);
  return normal;
}

/** Returns the id in the place of a text; what no blob was created under is noted and stays. */
function resolveBlob(
  { name }: PropertyDefinition,
  text: string,
  { createdIds, problems }: ValueScene,
): string {
  const id = resolveId(text, createdIds.earlier);
  if (id === null) problems.add(name, NO_BLOB_CREATED);
  return id ?? text;
}

/** `value`: what was sent for the property. */
interface ReferenceScene extends ValueScene {
  readonly property: PropertyDefinition;
  readonly value: JsonValue;
}

/** Returns the same where objects are meant. */
function resolveObject(
  { type, place }: ReferenceDefinition,
  text: string,
  { createdIds, problems, property, value }: ReferenceScene,
): string {
  const id = resolveObjectId(createdIds, type, text);
  if (id === null && !problems.has(property.name))
    problems.add(property.name, nothingCreated(place, value, text));
  return id ?? text;
}

/**
 * Returns the faults of values that clients don't give (internal, serverSet and computed
 * properties), in stored form: the schema binds hooks as it binds clients. The validator may put a
 * double in the place of a number that no double holds exactly.
 */
export function complaintsOfServerValues(
  index: TypeIndex,
  values: JsonObject,
): readonly Complaint[] {
  const { server } = index.type.validate;
  return server === undefined ? [] : complaintsOf(server, values);
}
