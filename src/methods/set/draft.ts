import type { PropertyDefinition } from '../../capability/definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import {
  declaredObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import type { Steps } from '../../protocol/slices.js';
import { Strides } from '../../protocol/strides.js';
import { judgeProperties } from '../issues.js';
import { declaredMembers } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';
import { takeNearest } from './json-values.js';
import { Problems } from './problems.js';
import { complaintsOfServerValues } from './server-values.js';
import { type CreationIds, canonicalSteps } from './value.js';

/** An object that a client wants to exist: what it gave, judged but for the blobs it names. */
export interface Draft {
  /** As sent, names as declared; perhaps what was sent itself: its own members alone count. */
  readonly sent: JsonObject;
  /** As it would be stored. */
  readonly values: JsonObject;
  readonly problems: Problems;
  /** Set where it is no object at all. */
  readonly refused: SetError | null;
}

/** Of a hook that writes what others compute. */
export const IS_COMPUTED = 'is computed: it follows its sources';

/** Who writes: a client, or a hook, which may give what the server alone sets and what is internal. */
export type Author = 'client' | 'hook';

/** Judges an entry of a /set's `create` (RFC 8620 5.3). */
export function* draftCreate(
  index: TypeIndex,
  value: JsonValue,
  createdIds: CreationIds,
  author: Author = 'client',
): Steps<Draft> {
  const made = yield* draft(index, value, createdIds, author);
  if (made.refused !== null) return made;
  for (const name of index.required) {
    if (!Object.hasOwn(made.values, name)) made.problems.add(name, 'is missing');
  }
  return made;
}

/** Judges the properties that override those of the original in a /copy (5.4); none is required. */
export function draftOverrides(
  index: TypeIndex,
  value: JsonObject,
  createdIds: CreationIds,
): Steps<Draft> {
  return draft(index, value, createdIds, 'client');
}

function* draft(
  index: TypeIndex,
  value: JsonValue,
  createdIds: CreationIds,
  author: Author,
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
  for (const name of doubled) problems.add(name, 'is given in both spellings');
  const settable = declaredObject();
  const further = author === 'client' ? NOTHING : declaredObject();
  const scene = { createdIds, problems, inexact: [] };
  const strides = new Strides();
  for (const name of Object.keys(object)) {
    const given = object[name] ?? null;
    if (strides.isOver() || (typeof given === 'object' && given !== null)) yield;
    const property = writableProperty(index, name, author);
    if (property === undefined) {
      problems.add(name, `is no property of ${index.type.name}`);
    } else if (isServerSet(property)) {
      if (author === 'client' || property.role !== undefined) {
        problems.add(name, 'is set by the server alone');
      } else if (property.computed !== undefined) problems.add(name, IS_COMPUTED);
      else further[name] = yield* canonicalSteps(property, given, scene);
    } else {
      settable[name] = yield* canonicalSteps(property, given, scene);
    }
  }
  problems.addComplaints(yield* judgeProperties(index.type.validate.update, settable));
  if (author === 'hook') {
    problems.addComplaints(complaintsOfServerValues(index, further));
    Object.assign(settable, further);
  }
  takeNearest(scene.inexact);
  return { sent: object, values: settable, problems, refused: null };
}

const NOTHING: Record<string, JsonValue> = Object.freeze({});

/** Internal properties are none for clients; hooks write them. */
export function writableProperty(
  index: TypeIndex,
  name: string,
  author: Author,
): PropertyDefinition | undefined {
  const property = index.properties.get(name);
  if (property !== undefined || author === 'client') return property;
  return index.type.properties.find((candidate) => candidate.name === name);
}

/** 5.3: a client must leave these out of a create. */
export function isServerSet(property: PropertyDefinition): boolean {
  const { access, role } = property;
  return access === 'serverSet' || access === 'internal' || role !== undefined;
}
