import type { StandardMethodName } from '../../../../src/capability/definition.js';
import { isGiven, isShown } from '../../../../src/descriptor/model/access.js';
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

export function standardExample(type: ModelType, method: ModelStandardMethod): Example {
  const { request, response } = EXAMPLES[method.name](type);
  return {
    request: { accountId: ACCOUNT, ...request, ...samplesOf(method.arguments) },
    response: { accountId: ACCOUNT, ...response, ...samplesOf(method.response) },
  };
}

function samplesOf(schema: ModelStandardMethod['arguments']): JsonObject {
  return schema === undefined ? {} : (sampleOf({ ...schema, type: 'object' }) as JsonObject);
}

const EXAMPLES: Readonly<Record<StandardMethodName, (type: ModelType) => Example>> = {
  get: (type) => ({
    request: { ids: [idOf(type)] },
    response: { state: STATES.after, list: [wholeObject(type)], notFound: [] },
  }),
  changes: (type) => ({
    request: { sinceState: STATES.before },
    response: {
      oldState: STATES.before,
      newState: STATES.after,
      hasMoreChanges: false,
      created: [],
      updated: [idOf(type)],
      destroyed: [],
    },
  }),
  set: setExample,
  copy: (type) => ({
    request: {
      fromAccountId: OTHER_ACCOUNT,
      create: { [CREATION_ID]: { id: idOf(type) } },
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
    request: { ...query(type), limit: 10 },
    response: {
      queryState: STATES.after,
      canCalculateChanges: true,
      position: 0,
      ids: [idOf(type)],
    },
  }),
  queryChanges: (type) => ({
    request: { ...query(type), sinceQueryState: STATES.before },
    response: {
      oldQueryState: STATES.before,
      newQueryState: STATES.after,
      removed: [],
      added: [{ id: idOf(type), index: 0 }],
    },
  }),
};

function setExample(type: ModelType): Example {
  const patched = type.properties.find(
    (property) => isGiven(property) && property.access === 'mutable' && isFree(property),
  );
  const patch = patched === undefined ? {} : { [patched.name]: sampleProperty(patched, '') };
  const states = { oldState: STATES.before, newState: STATES.after };
  const failed = { notCreated: null, notUpdated: null, notDestroyed: null };
  const updated = { [idOf(type)]: null };
  if (type.singleton)
    return {
      request: { update: { [idOf(type)]: patch } },
      response: { ...states, created: null, updated, destroyed: null, ...failed },
    };
  const other = sampleId(1);
  return {
    request: {
      create: { [CREATION_ID]: newObject(type) },
      update: { [idOf(type)]: patch },
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

function query(type: ModelType): JsonObject {
  const [filter] = type.filters;
  const [sort] = type.sorts;
  return {
    ...(filter === undefined ? {} : { filter: { [filter.name]: sampleCondition(filter) } }),
    ...(sort === undefined ? {} : { sort: [{ property: sort.property.name, isAscending: true }] }),
  };
}

function newObject(type: ModelType): JsonObject {
  const given = type.properties.filter(isGiven);
  const optional = given.filter((property) => !property.required && isFree(property));
  const chosen = new Set(optional.slice(0, OPTIONAL_IN_CREATE));
  return sample(
    given.filter((property) => property.required || chosen.has(property)),
    idOf(type),
  );
}

/** Its value needs nothing that is there already. */
function isFree({ reference, blobs }: ModelProperty): boolean {
  return reference === undefined && blobs.length === 0;
}

function wholeObject(type: ModelType): JsonObject {
  return sample(type.properties.filter(isShown), idOf(type));
}

/**
 * Returns what the server tells of a new object: all that the client doesn't know (RFC 8620 5.3).
 */
function created(type: ModelType): JsonObject {
  const id = sampleId(2);
  return sample(
    type.properties.filter((property) => isShown(property) && !isGiven(property)),
    id,
  );
}

function sample(properties: readonly ModelProperty[], id: string): JsonObject {
  return Object.fromEntries(
    properties.map((property): [string, JsonValue] => [
      property.name,
      sampleProperty(property, id),
    ]),
  );
}

function idOf(type: ModelType): string {
  return type.singleton ? SINGLETON_ID : sampleId();
}
