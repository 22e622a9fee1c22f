import type { JSONSchema7 } from 'json-schema';
import { isGiven, isShown } from '../../../src/descriptor/model/access.js';
import {
  hasFurther,
  methodTypeName,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelProperty,
  ModelType,
} from '../../../src/descriptor/model.js';
import { deprecatedWords, GeneratedModule } from './generated-module.js';
import { sharedSchemas, withShared } from './shared-schemas.js';
import { fileOf } from './sources.js';
import { orNull, sourceOf } from './type-validators.js';
import { addWireTypes, type NamedSchema } from './wire-types.js';

/**
 * The types of each data type: what is on the wire (what /get answers, what /set takes, the
 * FilterCondition), and apart from it what the server stores.
 */
export async function emitTypeTypes(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    for (const type of capability.types) {
      const path = `generated/${capability.name}/${type.name}`;
      files.set(`${path}.types.ts`, await wireModule(`${path}.types.ts`, capability, type));
      files.set(`${path}.stored.ts`, await storedModule(`${path}.stored.ts`, capability, type));
    }
  }
  return files;
}

async function wireModule(
  path: string,
  capability: ModelCapability,
  type: ModelType,
): Promise<string> {
  const module = new GeneratedModule(path, sourceOf(capability));
  const types = ownTypes(type);
  await addWireTypes(module, withShared(types, sharedOnWire(type)));
  return module.toString();
}

/** Returns the `$defs` that types on the wire use, by name. */
function sharedOnWire(type: ModelType): ReadonlyMap<string, JSONSchema7> {
  const seen = type.properties.filter((property) => isShown(property) || isGiven(property));
  return sharedSchemas(
    [
      ...seen.map(({ schema }) => schema),
      ...type.methods.flatMap((method) => [method.arguments, method.response]),
    ],
    namesOf(type),
  );
}

function namesOf(type: ModelType): readonly string[] {
  return [...ownTypes(type).map(([name]) => name), `${type.name}Stored`];
}

/**
 * Prints the type that hooks see: the object on the wire, and the properties that never leave the
 * server.
 */
async function storedModule(
  path: string,
  capability: ModelCapability,
  type: ModelType,
): Promise<string> {
  const { name } = type;
  const module = new GeneratedModule(path, sourceOf(capability));
  const wire = fileOf(capability, `${name}.types`);
  const words = `A ${name} as the server and its hooks see it.`;
  const hidden = type.properties.filter((property) => !isShown(property));
  if (hidden.length === 0) {
    module.addTypeAlias(`${name}Stored`, module.type(wire, name), words);
    return module.toString();
  }
  const onWire = sharedOnWire(type);
  const shared = sharedSchemas(
    hidden.filter(({ access }) => access !== 'secret').map(({ schema }) => schema),
    namesOf(type),
  );
  for (const title of shared.keys()) if (onWire.has(title)) module.type(wire, title);
  const own = objectOf(`${words} Internal and secret properties too.`, hidden, hidden, stored);
  const types = withShared([[`${name}Stored`, own]], shared);
  await addWireTypes(
    module,
    types.filter(([title]) => !onWire.has(title)),
    new Map([[`${name}Stored`, module.type(wire, name)]]),
  );
  return module.toString();
}

function ownTypes(type: ModelType): readonly NamedSchema[] {
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
    ...furtherTypes(type),
  ];
}

/** Of a secret, hooks get what is kept: a hash or ciphertext. */
function stored(property: ModelProperty): JSONSchema7 {
  if (property.access !== 'secret') return described(property);
  const description = `What is kept of the secret: ${property.secret === 'encrypt' ? 'the encrypted text' : 'a hash'}.`;
  return { type: property.nullable ? ['string', 'null'] : 'string', description };
}

/** The further arguments and response members of standard methods. */
function furtherTypes(type: ModelType): readonly NamedSchema[] {
  return standardMethodsOf(type).flatMap(({ row, method }) => {
    const name = `${type.name}/${row.verb}`;
    const part = (suffix: 'Arguments' | 'Response', words: string): readonly NamedSchema[] => {
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
