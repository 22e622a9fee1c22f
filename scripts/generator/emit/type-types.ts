import type { JSONSchema7 } from 'json-schema';
import { isGiven, isShown } from '../model/access.js';
import {
  hasFurther,
  hasStored,
  methodTypeName,
  standardMethodsOf,
} from '../model/further-members.js';
import type { EmittedFiles, Model, ModelProperty, ModelType } from '../model.js';
import { deprecatedWords } from './module.js';
import { preamble } from './preamble.js';
import { sharedSchemas, withShared } from './shared-schemas.js';
import { orNull, sourceOf } from './type-validators.js';
import { wireTypes } from './wire-types.js';

/** The wire types of each data type: what /get answers, what /set takes, the FilterCondition. */
export async function emitTypeTypes(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    for (const type of capability.types) {
      files.set(
        `generated/${capability.name}/${type.name}.types.ts`,
        preamble(sourceOf(capability)) + (await wireTypes(wireTypesOf(type))),
      );
    }
  }
  return files;
}

function wireTypesOf(type: ModelType): readonly (readonly [string, JSONSchema7])[] {
  const types = ownTypes(type);
  const raw = [
    ...type.properties.map(({ schema }) => schema),
    ...type.methods.flatMap((method) => [method.arguments, method.response]),
  ];
  return withShared(
    types,
    sharedSchemas(
      raw,
      types.map(([name]) => name),
    ),
  );
}

function ownTypes(type: ModelType): readonly (readonly [string, JSONSchema7])[] {
  const { name, properties } = type;
  const shown = properties.filter(isShown);
  const writable = properties.filter(isGiven);
  const required = writable.filter((property) => property.required);
  return [
    [name, objectOf(deprecatedWords(type.description, type.deprecated), shown, shown, described)],
    [
      `${name}Create`,
      objectOf(`A new ${name} as a client gives it.`, writable, required, described),
    ],
    [
      `${name}Patch`,
      {
        ...objectOf(
          'A PatchObject (RFC 8620 5.3): new values, null for the default, further members ' +
            'by JSON Pointer.',
          writable,
          [],
          (property) => (property.required ? described(property) : orNull(described(property))),
        ),
        additionalProperties: true,
      },
    ],
    [
      `${name}Filter`,
      {
        type: 'object',
        description:
          `A FilterCondition of ${name}/query; null adds no constraint unless the ` +
          'property may be null.',
        properties: Object.fromEntries(
          type.filters.map((filter) => [
            filter.name,
            { ...orNull(filter.schema), description: filter.description },
          ]),
        ),
        additionalProperties: false,
      },
    ],
    ...storedTypes(type),
    ...furtherTypes(type),
  ];
}

/** What hooks see, where that is more than what is on the wire. */
function storedTypes(type: ModelType): readonly (readonly [string, JSONSchema7])[] {
  if (!hasStored(type)) return [];
  const words = `A ${type.name} as hooks see it: internal and secret properties too.`;
  return [[`${type.name}Stored`, objectOf(words, type.properties, type.properties, stored)]];
}

/** Of a secret, hooks get what is kept: a hash or ciphertext. */
function stored(property: ModelProperty): JSONSchema7 {
  if (property.access !== 'secret') return described(property);
  const description = `What is kept of the secret: ${property.secret === 'encrypt' ? 'the encrypted text' : 'a hash'}.`;
  return { type: property.nullable ? ['string', 'null'] : 'string', description };
}

/** The further arguments and response members of standard methods. */
function furtherTypes(type: ModelType): readonly (readonly [string, JSONSchema7])[] {
  return standardMethodsOf(type).flatMap(({ row, method }) => {
    const name = `${type.name}/${row.verb}`;
    const part = (
      suffix: 'Arguments' | 'Response',
      words: string,
    ): readonly (readonly [string, JSONSchema7])[] => {
      const schema = suffix === 'Arguments' ? method.arguments : method.response;
      if (!hasFurther(schema)) return [];
      return [[methodTypeName(type, row, suffix), { description: words, ...schema }]];
    };
    return [
      ...part('Arguments', `Arguments of ${name} beside the standard ones.`),
      ...part('Response', `Members of the response of ${name} beside the standard ones.`),
    ];
  });
}

function objectOf(
  description: string,
  properties: readonly ModelProperty[],
  required: readonly ModelProperty[],
  schemaOf: (property: ModelProperty) => JSONSchema7,
): JSONSchema7 {
  return {
    type: 'object',
    ...(description === '' ? {} : { description }),
    properties: Object.fromEntries(
      properties.map((property) => [property.name, schemaOf(property)]),
    ),
    required: required.map(({ name }) => name),
    additionalProperties: false,
  };
}

function described(property: ModelProperty): JSONSchema7 {
  const parts = [property.description, ...accessWords(property)].filter((part) => part !== '');
  const words = deprecatedWords(parts.join(' '), property.deprecated);
  return words === '' ? property.schema : { ...property.schema, description: words };
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
