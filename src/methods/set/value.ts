import type { PropertyDefinition } from '../../capability/definition.js';
import { formatOf } from '../../capability/formats/index.js';
import { holdsBlobs, replaceSteps, replaceTexts } from '../../capability/places.js';
import { InexactNumber, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import { resolveId } from '../creation-ids.js';
import type { Problems } from '../issues.js';
import { isReference } from '../type-index.js';
import { NO_BLOB_CREATED } from '../work/blobs.js';
import { NOTHING_CREATED, placesOf, resolvedReferences } from '../work/reference-values.js';
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
  const { problem, hasInexact, isLarge } = yield* inspectJson(value);
  if (problem !== null) {
    scene.problems.add(property.name, problem);
    return value;
  }
  if (value instanceof InexactNumber) return value.value;
  const resolved = isLarge
    ? yield* resolveSteps(property, value, scene)
    : resolveIds(property, value, scene);
  return hasInexact ? yield* ownInexact(resolved, scene.inexact) : resolved;
}

function canonicalText(property: PropertyDefinition, text: string, scene: ValueScene): JsonValue {
  if (isFree(property)) return text;
  const format = formatOf(property);
  if (format?.canonical === undefined) return resolveIds(property, text, scene);
  if (format.isLegal(text)) return format.canonical(text);
  scene.problems.add(property.name, format.message);
  return text;
}

/** Any text is in its one form. */
function isFree({ kind, format, reference, blobs }: PropertyDefinition): boolean {
  return (
    kind === 'string' && format === undefined && reference === undefined && blobs === undefined
  );
}

function resolveIds(property: PropertyDefinition, value: JsonValue, scene: ValueScene): JsonValue {
  if (isReference(property)) {
    return resolvedReferences(property, value, resolverOf(property, scene));
  }
  return holdsBlobs(property)
    ? replaceTexts(property.blobs, value, resolverOf(property, scene))
    : value;
}

/** The same with pauses, for large values. */
function* resolveSteps(
  property: PropertyDefinition,
  value: JsonValue,
  scene: ValueScene,
): Steps<JsonValue> {
  const places = isReference(property) ? placesOf(property) : (property.blobs ?? []);
  return yield* replaceSteps(places, value, resolverOf(property, scene));
}

/** Returns the id in the place of a text; what nothing was created under is noted and stays. */
function resolverOf(
  { name, reference }: PropertyDefinition,
  { createdIds, problems }: ValueScene,
): (text: string) => string {
  return (text) => {
    const id =
      reference === undefined
        ? resolveId(text, createdIds.earlier)
        : resolveObjectId(createdIds, reference.type, text);
    if (id === null) {
      problems.add(name, reference === undefined ? NO_BLOB_CREATED : NOTHING_CREATED);
    }
    return id ?? text;
  };
}
