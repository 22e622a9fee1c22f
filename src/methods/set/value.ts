import type { PropertyDefinition } from '../../capability/definition.js';
import { formatOf } from '../../capability/formats/index.js';
import { holdsBlobs, replaceSteps } from '../../capability/places.js';
import { InexactNumber, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import { resolveId } from '../creation-ids.js';
import { type Complaint, complaintsOf, type Problems } from '../issues.js';
import { isReference, type TypeIndex } from '../type-index.js';
import { NO_BLOB_CREATED, NOTHING_CREATED, placesOf } from '../work/named-ids.js';
import { type InexactPlace, inspectJson, ownInexact } from './json-values.js';

/** What a "#" in a value can mean. */
export interface CreationIds {
  /** Of earlier calls. */
  readonly earlier: ReadonlyMap<string, string>;
  /** Of this call, whether or not they come to be: its own type's alone. */
  readonly own: ReadonlyMap<string, string>;
  readonly ownType: string;
}

/** The id behind a "#" where objects of a type are meant: the call's own come first. */
export function resolveObjectId(ids: CreationIds, type: string, text: string): string | null {
  return type === ids.ownType
    ? resolveId(text, ids.own, ids.earlier)
    : resolveId(text, ids.earlier);
}

/** What values are made canonical with, and what is found in them. */
export interface ValueScene {
  readonly createdIds: CreationIds;
  readonly problems: Problems;
  /** Numbers that no double holds exactly, within values that nobody else has. */
  readonly inexact: InexactPlace[];
}

/**
 * Returns the value as the database stores it: a text in the one form of its format (of a UTCDate
 * without a zero fraction and without digits beyond milliseconds, RFC 8620 1.4), ids in place of
 * "#" ids of blobs and objects, 0 for -0. Notes a value that has no such form, and returns it
 * unchanged. A number that no double holds exactly stays for the validator, which may refuse it;
 * `value` remains what its author gave.
 */
export function* canonicalSteps(
  property: PropertyDefinition,
  value: JsonValue,
  scene: ValueScene,
): Steps<JsonValue> {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (property.kind !== 'json') {
    return typeof value === 'string' ? canonicalText(property, value, scene) : value;
  }
  const { problem, hasInexact } = yield* inspectJson(value);
  if (problem !== null) {
    scene.problems.add(property.name, problem);
    return value;
  }
  if (value instanceof InexactNumber) return value.value;
  const places = isReference(property) ? placesOf(property) : property.blobs;
  const resolved = places
    ? yield* replaceSteps(places, value, (text) => resolveText(property, text, scene))
    : value;
  return hasInexact ? yield* ownInexact(resolved, scene.inexact) : resolved;
}

function canonicalText(property: PropertyDefinition, text: string, scene: ValueScene): JsonValue {
  if (isReference(property) || holdsBlobs(property)) return resolveText(property, text, scene);
  const format = formatOf(property);
  if (format?.canonical === undefined) return text;
  if (format.isLegal(text)) return format.canonical(text);
  scene.problems.add(property.name, format.message);
  return text;
}

/** The id in the place of a text; what nothing was created under is noted and stays. */
function resolveText(
  { name, reference }: PropertyDefinition,
  text: string,
  { createdIds, problems }: ValueScene,
): string {
  const id =
    reference === undefined
      ? resolveId(text, createdIds.earlier)
      : resolveObjectId(createdIds, reference.type, text);
  if (id === null) problems.add(name, reference === undefined ? NO_BLOB_CREATED : NOTHING_CREATED);
  return id ?? text;
}

/**
 * What is wrong with values that clients don't give (internal, serverSet and computed properties),
 * in stored form: hooks are held to the schema as clients are. The validator may put a double in the
 * place of a number that none holds exactly.
 */
export function complaintsOfServerValues(
  index: TypeIndex,
  values: JsonObject,
): readonly Complaint[] {
  const { server } = index.type.validate;
  return server === undefined ? [] : complaintsOf(server, values);
}
