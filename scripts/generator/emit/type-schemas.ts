import type { JSONSchema7 } from 'json-schema';
import { OWNER, roleIn } from '../../../src/capability/scopes.js';
import {
  hasFurther,
  methodTypeName,
  type StandardMethodOfType,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import type {
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelType,
} from '../../../src/descriptor/model.js';
import { literal } from './code.js';
import { deprecatedWords, memberName } from './generated-module.js';
import { commentOnSteps } from './rule-words.js';
import { orNull } from './type-validators.js';
import type { NamedSchema } from './wire-types.js';

/** The schemas of the parts of a data type with their comments, for the types of all modules. */

/**
 * Returns the further arguments and response members of standard methods. `argumentsOf` returns
 * the arguments that count: without it, those that hooks get.
 */
export function furtherTypes(
  type: ModelType,
  argumentsOf = ({ method }: StandardMethodOfType) => method.arguments,
): readonly NamedSchema[] {
  return standardMethodsOf(type).flatMap((each) => {
    const { row, method } = each;
    const name = `${type.name}/${row.verb}`;
    const part = (suffix: 'Arguments' | 'Response', words: string): readonly NamedSchema[] => {
      const schema = suffix === 'Arguments' ? argumentsOf(each) : method.response;
      if (!hasFurther(schema)) return [];
      return [[methodTypeName(type, row, suffix), { description: words, ...schema }]];
    };
    return [
      ...part('Arguments', `Arguments of ${name} beside the standard ones.`),
      ...part('Response', `Members of the response of ${name} beside the standard ones.`),
    ];
  });
}

/** Returns whether every user gets the property of every object. */
export function isAlwaysThere({ optional, readable }: ModelProperty): boolean {
  return optional !== true && readable === undefined;
}

/** Returns the interface of the SetErrors of a type's own; none of most types. */
export function errorTypes({
  name,
  errors,
}: Pick<ModelType, 'name' | 'errors'>): readonly NamedSchema[] {
  if (errors === undefined) return [];
  const members = errors.map((error) => [
    error.name,
    { ...error.members, ...(error.description === '' ? {} : { description: error.description }) },
  ]);
  const schema: JSONSchema7 = {
    type: 'object',
    description: `The errors of ${name}’s own by name, each with its members.`,
    properties: Object.fromEntries(members),
    required: errors.map((error) => error.name),
    additionalProperties: false,
  };
  return [[`${name}Errors`, schema]];
}

/** Returns the schema of a FilterCondition. */
export function filterSchema(type: string, filters: readonly ModelFilter[]): JSONSchema7 {
  return {
    type: 'object',
    description:
      `A FilterCondition of ${type}/query; null adds no constraint unless the ` +
      'property may be null.',
    properties: Object.fromEntries(
      filters.map(({ name, schema, description }) => [name, { ...orNull(schema), description }]),
    ),
    additionalProperties: false,
  };
}

/** Returns the Comparators by sorts: the members that they need tell them apart. */
export function comparatorTypes(comparator: string, sorts: readonly ModelSort[]): string {
  const members = new Set(sorts.map(({ by }) => by?.argument));
  const parts = [...members].map((argument) => {
    const group = sorts.filter(({ by }) => by?.argument === argument);
    const names = group.map((sort) => literal(sort.name)).join(' | ');
    const type = `${comparator}<${names}>`;
    return argument === undefined ? type : `${type} & { readonly ${memberName(argument)}: string }`;
  });
  return parts.join(' | ');
}

/** Returns the schema of an object with these properties. */
export function objectOf(
  description: string,
  properties: readonly ModelProperty[],
  required: readonly ModelProperty[],
  schemaOf: (property: ModelProperty) => JSONSchema7,
  isOpen = false,
): JSONSchema7 {
  return {
    type: 'object',
    ...(description === '' ? {} : { description }),
    properties: Object.fromEntries(
      properties.map((property) => [property.name, schemaOf(property)]),
    ),
    required: required.map(({ name }) => name),
    additionalProperties: isOpen,
  };
}

/** Returns the schemas of a type's properties with comments that have the steps of their values. */
export function describedOf(type: ModelType): (property: ModelProperty) => JSONSchema7 {
  return (property) => described(property, commentOnSteps(type, property.name));
}

/** Returns the schema of a property with a comment: its words, and who writes it. */
export function described(property: ModelProperty, steps = ''): JSONSchema7 {
  const request = property.onRequest === true ? 'Only on request.' : '';
  const all = [
    property.description,
    ...accessWords(property),
    request,
    readersWords(property),
    perUserWords(property),
    steps,
  ];
  const parts = all.filter((part) => part !== '');
  const words = deprecatedWords(parts.join(' '), property.deprecated);
  return words === '' ? property.schema : { ...property.schema, description: words };
}

/** Says who may read a property; nothing where all may. */
export function readersWords({ readable }: ModelProperty): string {
  if (readable === undefined) return '';
  const readers = readable.map((scope) =>
    scope === OWNER
      ? 'the owner and users who write in all of the account'
      : `users with the role ${roleIn(scope)}`,
  );
  return `Only for ${readers.join(', and ')}.`;
}

/** Says that each user has a value of its own; nothing where all have the same. */
export function perUserWords({ perUser }: ModelProperty): string {
  return perUser === true ? 'Each user has a value of its own.' : '';
}

function accessWords(property: ModelProperty): readonly string[] {
  switch (property.access) {
    case 'immutable':
      return ['Immutable.'];
    case 'serverSet':
      return ['Set by the server.'];
    case 'internal':
      return ['Never on the wire.'];
    case 'secret':
      return ['Secret: never shown.'];
    default:
      return [];
  }
}
