import type { JSONSchema7 } from 'json-schema';
import type {
  ModelCapability,
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelType,
} from '../model.js';
import { isGiven, isShown } from './access.js';
import { meaningDigest } from './hash.js';
import { mapInner } from './inner-schemas.js';

/**
 * Returns the hash of a data type as clients see it: 22 characters of base64url. It covers the
 * schemas, defaults and rules of its properties, its filters, sorts, methods and errors. It doesn't
 * cover words, columns, indexes or internal properties: a client with the same hash need not fetch
 * anything anew.
 */
export function typeHash({ methods }: Pick<ModelCapability, 'methods'>, type: ModelType): string {
  const { name, acceptSnakeCase, singleton, keepsUnknown, query, limits, rules } = type;
  const { uniques, errors, answered = [], refuses } = type;
  return meaningDigest({
    ...{ name, acceptSnakeCase, singleton, keepsUnknown, query, limits, rules, refuses },
    properties: type.properties.filter(isVisible).map(showProperty),
    answered: answered.map(({ at: _at, deprecated: _words, schema, ...each }) => ({
      ...each,
      schema: withoutTitles(schema),
    })),
    filters: type.filters.map(showFilter),
    sorts: type.sorts.map(showSort),
    uniques: uniques
      .filter(({ properties }) => properties.every(isVisible))
      .map(({ name: names, nullsEqual }) => ({ name: names, nullsEqual })),
    errors: errors?.map((error) => ({ name: error.name, members: withoutTitles(error.members) })),
    methods: type.methods.map(showMethod),
    ownMethods: methods
      .filter((method) => method.name.startsWith(`${name}/`))
      .map((method) => ({ ...showMethod(method), account: method.account })),
  });
}

/** Returns whether clients know of a property: they read it, or they give it. */
export function isVisible(property: ModelProperty): boolean {
  return isShown(property) || isGiven(property);
}

/**
 * Returns the conditions of which clients know what they read. Some read an internal property:
 * clients may use these, too.
 */
export function visibleFilters({ filters }: Pick<ModelType, 'filters'>): readonly ModelFilter[] {
  return filters.filter(({ property, properties = [property] }) => properties.every(isVisible));
}

export function visibleSorts({ sorts }: Pick<ModelType, 'sorts'>): readonly ModelSort[] {
  return sorts.filter(({ property }) => isVisible(property));
}

function showProperty(property: ModelProperty): object {
  const { name, kind, nullable, optional, required, access, role, format, normalize } = property;
  const { defaultNow, blobs, references, onRequest, readable, principal, computed } = property;
  const { perUser, schema } = property;
  return {
    ...{ name, kind, nullable, optional, required, access, role, format, normalize },
    ...{ default: property.default, defaultNow, blobs, references, onRequest, principal },
    ...(readable === undefined ? {} : { mayLack: true }),
    ...(perUser === undefined ? {} : { perUser }),
    isComputed: computed !== undefined,
    schema: withoutTitles(schema),
  };
}

function showFilter({ name, property, properties, operator, many, schema }: ModelFilter): object {
  const read = (properties ?? [property]).map(showRead);
  return { name, read, operator, many, schema };
}

function showSort({ name, property, by }: ModelSort): object {
  return { name, read: showRead(property), by };
}

/**
 * Returns what a condition or a sort reads: a property, or a part of one; null of an internal one.
 */
function showRead(property: ModelProperty): object | null {
  const { name, within } = property;
  if (!isVisible(property)) return null;
  return { property: within?.property ?? name, place: within?.place, where: within?.where };
}

function showMethod({
  name,
  arguments: args,
  response,
}: {
  readonly name: string;
  readonly arguments?: JSONSchema7;
  readonly response?: JSONSchema7;
}): object {
  return {
    name,
    arguments: args && withoutTitles(args),
    response: response && withoutTitles(response),
  };
}

/** Returns a schema without the names of the definitions that it uses. */
function withoutTitles({ title: _title, ...schema }: JSONSchema7): JSONSchema7 {
  return mapInner(schema, withoutTitles);
}
