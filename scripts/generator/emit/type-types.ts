import type { JSONSchema7 } from 'json-schema';
import type { EmittedFiles, Model, ModelProperty, ModelType } from '../model.js';
import { preamble } from './preamble.js';
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
  const { name, properties } = type;
  const writable = properties.filter(({ access }) => access !== 'serverSet');
  const required = writable.filter((property) => property.required);
  return [
    [name, objectOf(type.description, properties, properties, described)],
    [
      `${name}Create`,
      objectOf(`What a client gives to create a ${name}.`, writable, required, described),
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
  ];
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
  const words = [property.description, ...accessWords(property)].filter((part) => part !== '');
  return words.length === 0
    ? property.schema
    : { ...property.schema, description: words.join(' ') };
}

function accessWords(property: ModelProperty): readonly string[] {
  switch (property.access) {
    case 'immutable':
      return ['Immutable.'];
    case 'serverSet':
      return ['Set by the server.'];
    default:
      return [];
  }
}
