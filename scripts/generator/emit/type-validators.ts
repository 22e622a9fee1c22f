import type { JSONSchema7 } from 'json-schema';
import { isGiven, isGivenByHooks } from '../../../src/descriptor/model/access.js';
import {
  hasFurther,
  standardMethodsOf,
  wholeArguments,
} from '../../../src/descriptor/model/further-members.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelType,
} from '../../../src/descriptor/model.js';
import { mainType, validationSchema } from '../../../src/descriptor/validation/schema.js';
import { meanwhile } from '../thread/second.js';
import { emitValidators, type ValidatorSource, validatorModule } from './validators.js';

/** Of fewer types, what a second thread loads takes as long as what it spares. */
const MANY = 40;

/** Validators of each type: update, filter, and arguments where it has some of its own. */
export async function emitTypeValidators(model: Model): Promise<EmittedFiles> {
  const modules = model.capabilities.flatMap((capability) =>
    capability.types.map((type) => ({
      path: `generated/${capability.name}/${type.name}.validators.ts`,
      sources: validatorsOf(type),
      from: sourceOf(capability),
    })),
  );
  const texts =
    modules.length < MANY
      ? modules.map(({ sources }) => emitValidators(sources))
      : await meanwhile(
          'validators',
          modules.map(({ sources }) => sources),
        );
  return new Map(
    modules.map(({ path, from }, index) => [path, validatorModule(from, texts[index] ?? '')]),
  );
}

export function sourceOf(capability: ModelCapability): string {
  return capability.at.file;
}

function validatorsOf(type: ModelType): readonly ValidatorSource[] {
  const writable = type.properties.filter(isGiven);
  return [
    {
      name: 'update',
      words: `The values of properties of ${type.name} that a create or an update gives.`,
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          writable.map(({ name, schema }) => [name, validationSchema(schema, 'stored')]),
        ),
        additionalProperties: false,
      },
    },
    {
      name: 'filter',
      words: `One FilterCondition of ${type.name}/query.`,
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          type.filters.map(({ name, schema }) => [
            name,
            validationSchema(orNull(schema), 'message'),
          ]),
        ),
        additionalProperties: false,
      },
    },
    ...hookValidators(type),
    ...argumentValidators(type),
    ...responseValidators(type),
  ];
}

/** Values that hooks compute or write, and no client gives, are held to their schema too. */
function hookValidators(type: ModelType): readonly ValidatorSource[] {
  const given = type.properties.filter(isGivenByHooks);
  if (given.length === 0) return [];
  return [
    {
      name: 'server',
      words: `The values of ${type.name} that hooks give and clients don't.`,
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          given.map(({ name, schema }) => [name, validationSchema(schema, 'stored')]),
        ),
        additionalProperties: false,
      },
    },
  ];
}

/** A standard method with further arguments has a validator of its own for all of them. */
function argumentValidators(type: ModelType): readonly ValidatorSource[] {
  return standardMethodsOf(type).flatMap(({ row, method }) =>
    hasFurther(method.arguments)
      ? [
          {
            name: `${row.verb}Arguments`,
            schema: validationSchema(wholeArguments(row, method.arguments), 'message'),
            words: `The arguments of ${type.name}/${row.verb}, the standard ones included.`,
          },
        ]
      : [],
  );
}

/** A standard method with further response members has a validator for what its `after` gives. */
function responseValidators(type: ModelType): readonly ValidatorSource[] {
  return standardMethodsOf(type).flatMap(({ row, method }) =>
    hasFurther(method.response)
      ? [
          {
            name: `${row.verb}Response`,
            schema: validationSchema(
              { ...method.response, additionalProperties: false },
              'message',
            ),
            words: `The members that hooks add to the response of ${type.name}/${row.verb}.`,
          },
        ]
      : [],
  );
}

/** Returns the schema with null beside its type: null adds no constraint, whatever the operator. */
export function orNull(schema: JSONSchema7): JSONSchema7 {
  const type = mainType(schema) as NonNullable<JSONSchema7['type']>;
  return { ...schema, type: [type, 'null'] as NonNullable<JSONSchema7['type']> } as JSONSchema7;
}
