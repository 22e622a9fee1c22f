import type { StandardMethodName } from '../../../../src/capability/definition.js';
import { isGiven, isShown } from '../../../../src/descriptor/model/access.js';
import { startUnderRules } from '../../../../src/descriptor/model/rule-start.js';
import type {
  ModelProperty,
  ModelStandardMethod,
  ModelType,
} from '../../../../src/descriptor/model.js';
import {
  ACCOUNT,
  OTHER_ACCOUNT,
  SINGLETON_ID,
  sampleCondition,
  sampleId,
  sampleOf,
  sampleProperty,
} from '../../../../src/descriptor/sample-values.js';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.js';

/** Arguments of a call and the arguments of its answer. */
export interface Example {
  readonly request: JsonObject;
  readonly response: JsonObject;
}

/** So many optional properties stand in the example of a create. */
const OPTIONAL_IN_CREATE = 3;
const CREATION_ID = 'new1';
const STATES = { before: '41', after: '42' };

/** Returns an example of a call and its answer, further arguments and members included. */
export function exampleOf(type: ModelType, method: ModelStandardMethod): Example {
  const { request, response } = EXAMPLES[method.name](type);
  return {
    request: { accountId: ACCOUNT, ...request, ...sampleFurther(method.arguments) },
    response: { accountId: ACCOUNT, ...response, ...sampleFurther(method.response) },
  };
}

/** Returns samples of further arguments or members; none without a schema. */
function sampleFurther(schema: ModelStandardMethod['arguments']): JsonObject {
  return schema === undefined ? {} : (sampleOf({ ...schema, type: 'object' }) as JsonObject);
}

/** Examples by the name of a standard method. */
const EXAMPLES: Readonly<Record<StandardMethodName, (type: ModelType) => Example>> = {
  get: (type) => ({
    request: { ids: [sampleIdOf(type)] },
    response: { state: STATES.after, list: [sampleObject(type)], notFound: [] },
  }),
  changes: (type) => ({
    request: { sinceState: STATES.before },
    response: {
      oldState: STATES.before,
      newState: STATES.after,
      hasMoreChanges: false,
      created: [],
      updated: [sampleIdOf(type)],
      destroyed: [],
      updatedProperties: null,
    },
  }),
  set: exampleOfSet,
  copy: (type) => ({
    request: {
      fromAccountId: OTHER_ACCOUNT,
      create: { [CREATION_ID]: { id: sampleIdOf(type) } },
      onSuccessDestroyOriginal: false,
    },
    response: {
      fromAccountId: OTHER_ACCOUNT,
      oldState: STATES.before,
      newState: STATES.after,
      created: { [CREATION_ID]: created(type) },
      notCreated: null,
    },
  }),
  query: (type) => ({
    request: { ...exampleQuery(type), limit: 10 },
    response: {
      queryState: STATES.after,
      canCalculateChanges: true,
      position: 0,
      ids: [sampleIdOf(type)],
    },
  }),
  queryChanges: (type) => ({
    request: { ...exampleQuery(type), sinceQueryState: STATES.before },
    response: {
      oldQueryState: STATES.before,
      newQueryState: STATES.after,
      removed: [],
      added: [{ id: sampleIdOf(type), index: 0 }],
    },
  }),
};

/**
 * Returns an example of /set: a create, an update and a destroy, of a singleton the update alone.
 */
function exampleOfSet(type: ModelType): Example {
  const { values, locked } = startUnderRules(type);
  const patched = type.properties.find(
    (property) =>
      isGiven(property) &&
      property.access === 'mutable' &&
      isFree(property) &&
      !Object.hasOwn(values, property.name) &&
      !locked.has(property.name),
  );
  const patch = patched === undefined ? {} : { [patched.name]: sampleProperty(patched, '') };
  const states = { oldState: STATES.before, newState: STATES.after };
  const failed = { notCreated: null, notUpdated: null, notDestroyed: null };
  const updated = { [sampleIdOf(type)]: null };
  if (type.singleton)
    return {
      request: { update: { [sampleIdOf(type)]: patch } },
      response: { ...states, created: null, updated, destroyed: null, ...failed },
    };
  const other = sampleId(1);
  return {
    request: {
      create: { [CREATION_ID]: sampleCreate(type) },
      update: { [sampleIdOf(type)]: patch },
      destroy: [other],
    },
    response: {
      ...states,
      created: { [CREATION_ID]: created(type) },
      updated,
      destroyed: [other],
      ...failed,
    },
  };
}

/** Returns the first filter and the first sort of a type, as /query takes them. */
function exampleQuery(type: ModelType): JsonObject {
  const [filter] = type.filters;
  const sort = type.sorts.find(({ by }) => by === undefined);
  return {
    ...(filter === undefined ? {} : { filter: { [filter.name]: sampleCondition(filter) } }),
    ...(sort === undefined ? {} : { sort: [{ property: sort.name, isAscending: true }] }),
  };
}

/** Returns an object to create: all that is required, and some of what is not. */
function sampleCreate(type: ModelType): JsonObject {
  const { values, needed } = startUnderRules(type);
  const given = type.properties.filter(isGiven);
  const isNeeded = ({ required, name }: ModelProperty) => required || needed.has(name);
  const optional = given.filter((property) => !isNeeded(property) && isFree(property));
  const chosen = new Set(optional.slice(0, OPTIONAL_IN_CREATE));
  const properties = given.filter((property) => isNeeded(property) || chosen.has(property));
  const object = sampleProperties(properties, sampleIdOf(type));
  for (const { name } of properties)
    if (Object.hasOwn(values, name)) object[name] = values[name] ?? null;
  return object;
}

/** Returns whether a value needs no object and no blob that is there already. */
function isFree({ references, blobs }: ModelProperty): boolean {
  return references.length === 0 && blobs.length === 0;
}

/** Returns an object as /get answers it. */
function sampleObject(type: ModelType): JsonObject {
  const isGivenAlways = (each: { readonly onRequest?: true }) => each.onRequest !== true;
  const shown = type.properties.filter((property) => isShown(property) && isGivenAlways(property));
  const answered = (type.answered ?? []).filter(isGivenAlways);
  return {
    ...sampleProperties(shown, sampleIdOf(type)),
    ...Object.fromEntries(answered.map(({ name, schema }) => [name, sampleOf(schema)])),
  };
}

/**
 * Returns what the server tells of a new object: all that the client doesn't know (RFC 8620 5.3).
 */
function created(type: ModelType): JsonObject {
  const id = sampleId(2);
  return sampleProperties(
    type.properties.filter((property) => isShown(property) && !isGiven(property)),
    id,
  );
}

/** Returns a value for each of the properties. */
function sampleProperties(
  properties: readonly ModelProperty[],
  id: string,
): Record<string, JsonValue> {
  return Object.fromEntries(
    properties.map((property): [string, JsonValue] => [
      property.name,
      sampleProperty(property, id),
    ]),
  );
}

/** Returns the id of the object in the examples. */
function sampleIdOf(type: ModelType): string {
  return type.singleton ? SINGLETON_ID : sampleId();
}
