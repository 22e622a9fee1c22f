import { isGiven, isWrittenByClients } from '../../../src/descriptor/model/access.js';
import { startUnderRules } from '../../../src/descriptor/model/rule-start.js';
import type { ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { Json } from '../client/json.js';

/**
 * Returns a type as checks may use its objects, whatever its rules say of other values. A property
 * on which a rule depends keeps the value with which its objects begin. One that can't change then
 * counts as immutable, and one that must not be empty then as required.
 */
export function narrowByRules(declared: ModelType): ModelType {
  // No client can bring about that values of the server alone collide.
  const uniques = declared.uniques.filter(({ properties }) => properties.every(isGiven));
  const type = { ...declared, uniques };
  if (type.rules === undefined) return type;
  const { values, locked, needed } = startUnderRules(type);
  return mapProperties(type, (property) => {
    const { name } = property;
    let narrow = property;
    if (needed.has(name)) narrow = requireValue(narrow);
    if (locked.has(name) && narrow.access === 'mutable')
      narrow = { ...narrow, access: 'immutable' };
    if (Object.hasOwn(values, name) && isWrittenByClients(property))
      narrow = keepValue(narrow, (values[name] ?? null) as Json);
    return narrow;
  });
}

/** Numbers of this size can be added up by the million, and the sum is still exact. */
const MOST = 1e9;

/**
 * Returns a type whose properties `summed`, by name, have no wider bounds. A few values there
 * would add up to more than a sum can be, and the server refuses such writes.
 */
export function withoutLargeBounds(type: ModelType, summed: ReadonlySet<string>): ModelType {
  if (summed.size === 0) return type;
  return mapProperties(type, (property) => {
    if (!summed.has(property.name)) return property;
    const { minimum = -Infinity, maximum = Infinity, ...schema } = property.schema;
    // A bound that keeps small numbers out stays: without it they would count as legal.
    const bounds = {
      ...(minimum >= -MOST ? { minimum } : {}),
      ...(maximum <= MOST ? { maximum } : {}),
    };
    return { ...property, schema: { ...schema, ...bounds } };
  });
}

/** Returns a type with other properties, which its filters, sorts and keys have too. */
function mapProperties(
  type: ModelType,
  change: (property: ModelProperty) => ModelProperty,
): ModelType {
  const properties = type.properties.map(change);
  const replaced = new Map(properties.map((property) => [property.name, property]));
  const find = (property: ModelProperty): ModelProperty => {
    if (property.within !== undefined) return property;
    const { name } = property;
    const found = replaced.get(name);
    if (found === undefined) throw new Error(`${type.name} has no ${name}.`);
    return found;
  };
  const withProperty = <Part extends { readonly property: ModelProperty }>(part: Part): Part => ({
    ...part,
    property: find(part.property),
  });
  return {
    ...type,
    properties,
    filters: type.filters.map(withProperty),
    sorts: type.sorts.map(withProperty),
    uniques: type.uniques.map((unique) => ({
      ...unique,
      properties: unique.properties.map(find),
    })),
  };
}

/** Returns a property that has one value alone. */
function keepValue(property: ModelProperty, value: Json): ModelProperty {
  return { ...property, schema: { ...property.schema, enum: [value] } };
}

/** Returns a property that is neither null nor empty. */
function requireValue({ default: _default, ...property }: ModelProperty): ModelProperty {
  const { schema } = property;
  const type = [schema.type ?? []].flat().filter((one) => one !== 'null')[0];
  const least = { string: 'minLength', array: 'minItems', object: 'minProperties' }[String(type)];
  return {
    ...property,
    required: true,
    nullable: false,
    schema: {
      ...schema,
      ...(type === undefined ? {} : { type }),
      ...(least === undefined ? {} : { [least]: 1 }),
    },
  };
}
