import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import type { OnDestroy } from '../../../../src/capability/definition.js';
import { formatNamed } from '../../../../src/capability/formats/index.js';
import { isWholePlace, referencesOf } from '../../../../src/capability/named-references.js';
import { placeText } from '../../../../src/capability/places.js';
import { BOUNDS } from '../../../../src/descriptor/bounds.js';
import { type Branch, branchesIn } from '../../../../src/descriptor/branches.js';
import { normalizationsOf } from '../../../../src/descriptor/model/text-rules.js';
import type { ModelProperty, ModelType } from '../../../../src/descriptor/model.js';
import { mainType } from '../../../../src/descriptor/validation/schema.js';
import { code, list } from './markdown.js';

/** The words of a page about a property or a schema. */

const ON_DESTROY: Readonly<Record<OnDestroy, string>> = Object.freeze({
  restrict: 'which can’t be destroyed while it is referred to',
  cascade: 'with which this one is destroyed',
  setNull: 'whose id is taken out when it is destroyed',
  keep: 'whose id stays when it is destroyed',
});

/** Returns a type in the RFC's notation (RFC 8620 1.1): `String|null`, `Id[Boolean]`. */
export function typeWords(schema: JSONSchema7Definition): string {
  if (typeof schema === 'boolean') return '*';
  const nullable = [schema.type].flat().includes('null');
  return `${writeMainType(schema)}${nullable ? '|null' : ''}`;
}

/** Returns the type of a value in the RFC's notation, null aside. */
function writeMainType(schema: JSONSchema7): string {
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
      return writeObject(schema);
    default:
      return '*';
  }
}

/** Returns the type of an object: `Object`, or a map such as `Id[Boolean]`. */
function writeObject({ properties, additionalProperties, propertyNames }: JSONSchema7): string {
  if (properties !== undefined || typeof additionalProperties !== 'object') return 'Object';
  const format = typeof propertyNames === 'object' ? propertyNames.format : undefined;
  const key = formatNamed(format)?.notation ?? 'String';
  return `${key}[${typeWords(additionalProperties)}]`;
}

/** Returns who sets a property, and whether clients read it, in words. */
export function writeAccess({ access, computed }: ModelProperty): string {
  if (computed !== undefined || access === 'serverSet') return 'set by the server';
  if (access === 'immutable') return 'given once, in the create';
  if (access === 'secret') return 'written, never shown';
  return 'read and written';
}

/** Returns "required", or the default as JSON. */
export function writeDefault(property: ModelProperty): string {
  if (property.required) return 'required';
  if (property.defaultNow) return 'the present time';
  return property.default === undefined ? '' : code(JSON.stringify(property.default));
}

/** Returns the values that a property can have, uniqueness and references included. */
export function writeBounds(property: ModelProperty, type: ModelType): string {
  const { schema } = property;
  const words = [...listBounds(schema)];
  for (const { properties, nullsEqual } of type.uniques.filter((unique) =>
    unique.properties.includes(property),
  )) {
    const others = properties.filter((other) => other !== property);
    const nulls = nullsEqual ? ', null too' : '';
    const beside = others.length === 0 ? '' : ` with ${list(others.map(({ name }) => code(name)))}`;
    words.push(`unique${beside}${nulls}`);
  }
  for (const place of property.blobs) {
    const where = place.length === 0 ? '' : `${code(placeText(place))}: `;
    words.push(`${where}the id of a blob of the account`);
  }
  if (property.principal === true)
    words.push(schema.propertyNames === undefined ? 'the id of a user' : 'ids of users');
  for (const { type: target, place, onDestroy, error, acyclic } of referencesOf([property])) {
    const where = isWholePlace(place) ? '' : `${code(placeText(place))}: `;
    const refusal = error === undefined ? '' : ` (${code(error)})`;
    words.push(`${where}${code(target)} objects, ${ON_DESTROY[onDestroy]}${refusal}`);
    if (acyclic) words.push('no object leads back to itself');
  }
  return words.join('; ');
}

/** Returns the bounds of a schema in words: the values of an enum stand for all of them. */
function listBounds(schema: JSONSchema7): readonly string[] {
  const values = schema.enum?.filter((value) => value !== null);
  if (values !== undefined) return [values.map((value) => code(JSON.stringify(value))).join(', ')];
  const { items, propertyNames, maxLength, format } = schema;
  const normalize = normalizationsOf(schema);
  const branches = branchesIn(schema);
  // The bound that a text has where its descriptor gives none says nothing of a date.
  const most = format !== undefined && maxLength === BOUNDS.stringLength ? undefined : maxLength;
  return [
    ...writeRange(schema.minimum, schema.maximum, ''),
    ...writeRange(schema.minLength, most, ' characters'),
    ...(normalize === undefined ? [] : [`stored after ${list([...normalize])}`]),
    ...(schema.pattern === undefined ? [] : [`matches ${code(schema.pattern)}`]),
    ...writeRange(schema.minItems, schema.maxItems, ' items'),
    ...(schema.uniqueItems === true ? ['no item twice'] : []),
    ...(typeof items === 'object' && !Array.isArray(items) ? boundsWithin('each item', items) : []),
    ...writeRange(schema.minProperties, schema.maxProperties, ' members'),
    ...(typeof propertyNames === 'object' ? boundsWithin('each key', propertyNames) : []),
    ...(branches.length === 0 ? [] : [writeBranches(branches)]),
  ];
}

/** Returns what tells the branches of a union apart, and its values. */
function writeBranches(branches: readonly Branch<JSONSchema7>[]): string {
  const values = branches.flatMap(({ step: { of, others } }) =>
    others === true
      ? ['any other']
      : of.map((value) => (value === null ? 'absent' : code(JSON.stringify(value)))),
  );
  return `its form by ${code(branches[0]?.step.branch ?? '')}: ${values.join(', ')}`;
}

/** Returns the bounds of items or keys, behind a word for them. */
function boundsWithin(what: string, schema: JSONSchema7): readonly string[] {
  const bounds = listBounds(schema);
  return bounds.length === 0 ? [] : [`${what} ${bounds.join(', ')}`];
}

/** Returns a range in words. The bounds of an Int go without saying. */
function writeRange(least: number | undefined, most: number | undefined, unit: string): string[] {
  const low = least === Number.MIN_SAFE_INTEGER ? undefined : least;
  const high = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
  if (low !== undefined) return [`at least ${low}${unit}`];
  return high === undefined ? [] : [`at most ${high}${unit}`];
}
