import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import type { OnDestroy } from '../../../../src/capability/definition.js';
import { formatNamed } from '../../../../src/capability/formats.js';
import { placeText } from '../../../../src/descriptor/blob-places.js';
import { BOUNDS } from '../../../../src/descriptor/bounds.js';
import type { ModelProperty, ModelType } from '../../../../src/descriptor/model.js';
import { mainType } from '../../../../src/descriptor/validation/schema.js';
import { code, list } from './markdown.js';

/** The words of a page about a property or a schema. */

const ON_DESTROY: Readonly<Record<OnDestroy, string>> = Object.freeze({
  restrict: 'which can’t be destroyed while it is referred to',
  cascade: 'with which this one is destroyed',
  setNull: 'whose id is taken out when it is destroyed',
});

/** Returns a type in the RFC's notation (RFC 8620 1.1): `String|null`, `Id[Boolean]`. */
export function typeWords(schema: JSONSchema7Definition): string {
  if (typeof schema === 'boolean') return '*';
  const nullable = [schema.type].flat().includes('null');
  return `${mainWords(schema)}${nullable ? '|null' : ''}`;
}

function mainWords(schema: JSONSchema7): string {
  switch (mainType(schema)) {
    case 'string':
      return formatNamed(schema.format)?.notation ?? 'String';
    case 'boolean':
      return 'Boolean';
    case 'integer':
      return (schema.minimum ?? -1) >= 0 ? 'UnsignedInt' : 'Int';
    case 'number':
      return 'Number';
    case 'array': {
      const { items = true } = schema;
      const item = typeWords(Array.isArray(items) ? true : items);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectWords(schema);
    default:
      return '*';
  }
}

function objectWords({ properties, additionalProperties, propertyNames }: JSONSchema7): string {
  if (properties !== undefined || typeof additionalProperties !== 'object') return 'Object';
  const format = typeof propertyNames === 'object' ? propertyNames.format : undefined;
  const key = formatNamed(format)?.notation ?? 'String';
  return `${key}[${typeWords(additionalProperties)}]`;
}

export function accessWords({ access, computed }: ModelProperty): string {
  if (computed !== undefined || access === 'serverSet') return 'set by the server';
  if (access === 'immutable') return 'given once, in the create';
  if (access === 'secret') return 'written, never shown';
  return 'read and written';
}

export function defaultWords(property: ModelProperty): string {
  if (property.required) return 'required';
  return property.default === undefined ? '' : code(JSON.stringify(property.default));
}

export function boundWords(property: ModelProperty, type: ModelType): string {
  const { schema, reference } = property;
  const words = [...schemaBounds(schema)];
  for (const { properties } of type.uniques.filter((unique) =>
    unique.properties.includes(property),
  )) {
    const others = properties.filter((other) => other !== property);
    words.push(
      others.length === 0 ? 'unique' : `unique with ${list(others.map(({ name }) => code(name)))}`,
    );
  }
  for (const place of property.blobs) {
    const where = place.length === 0 ? '' : `${code(placeText(place))}: `;
    words.push(`${where}the id of a blob of the account`);
  }
  if (reference !== undefined)
    words.push(`${code(reference.type)} objects, ${ON_DESTROY[reference.onDestroy]}`);
  if (reference?.acyclic === true) words.push('no object leads back to itself');
  return words.join('; ');
}

function schemaBounds(schema: JSONSchema7): readonly string[] {
  const values = schema.enum?.filter((value) => value !== null);
  if (values !== undefined) return [values.map((value) => code(JSON.stringify(value))).join(', ')];
  const { items, propertyNames, maxLength, format } = schema;
  // The bound that a text has where its descriptor gives none says nothing of a date.
  const most = format !== undefined && maxLength === BOUNDS.stringLength ? undefined : maxLength;
  return [
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minLength, most, ' characters'),
    ...(schema.pattern === undefined ? [] : [`matches ${code(schema.pattern)}`]),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...(schema.uniqueItems === true ? ['no item twice'] : []),
    ...(typeof items === 'object' && !Array.isArray(items) ? within('each item', items) : []),
    ...range(schema.minProperties, schema.maxProperties, ' members'),
    ...(typeof propertyNames === 'object' ? within('each key', propertyNames) : []),
  ];
}

function within(what: string, schema: JSONSchema7): readonly string[] {
  const bounds = schemaBounds(schema);
  return bounds.length === 0 ? [] : [`${what} ${bounds.join(', ')}`];
}

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  const low = least === Number.MIN_SAFE_INTEGER ? undefined : least;
  const high = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
  if (low !== undefined) return [`at least ${low}${unit}`];
  return high === undefined ? [] : [`at most ${high}${unit}`];
}
