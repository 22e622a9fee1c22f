import type { JSONSchema7 } from 'json-schema';
import { isGiven, isGivenByHooks } from '../../../src/descriptor/model/access.js';
import {
  addedArguments,
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

/** With fewer types, a second thread takes as long to load as it saves. */
const MANY = 40;

/**
 * Returns a module of validators for each type: update and filter, and where it has such values,
 * hooks' values, further arguments and response members.
 */
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
        // The engine judges these by itself.
        ...(type.keepsUnknown === true ? {} : { additionalProperties: false }),
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
    ...errorValidators(type),
    ...answeredValidators(type),
    ...argumentValidators(type),
    ...responseValidators(type),
  ];
}

/** Returns the validator of values that hooks alone give: they are held to their schema, too. */
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

/** Returns whether an error of the type's own has members. */
export function hasMembers({ errors = [] }: ModelType): boolean {
  return errors.some(({ members }) => hasFurther(members));
}

/** Returns the validator of what hooks give for the members of errors, each under its name. */
function errorValidators(type: ModelType): readonly ValidatorSource[] {
  if (!hasMembers(type)) return [];
  const { errors = [] } = type;
  return [
    {
      name: 'errors',
      words: `The members of an error of ${type.name}, under its name.`,
      schema: validationSchema(
        {
          type: 'object',
          properties: Object.fromEntries(errors.map(({ name, members }) => [name, members])),
          additionalProperties: false,
        },
        'message',
      ),
    },
  ];
}

/** Returns the validator of what hooks answer, a value of a family under the family's name. */
function answeredValidators({ name, answered }: ModelType): readonly ValidatorSource[] {
  if (answered === undefined) return [];
  return [
    {
      name: 'answered',
      words: `The properties of ${name} that hooks compute when they are read.`,
      schema: validationSchema(
        {
          type: 'object',
          properties: Object.fromEntries(answered.map((each) => [each.name, each.schema])),
          additionalProperties: false,
        },
        'message',
      ),
    },
  ];
}

/** Returns a validator of all arguments for each standard method that has further ones. */
function argumentValidators(type: ModelType): readonly ValidatorSource[] {
  return standardMethodsOf(type).flatMap((each) => {
    const { row } = each;
    const added = addedArguments(type, each);
    if (!hasFurther(added)) return [];
    return [
      {
        name: `${row.verb}Arguments`,
        schema: validationSchema(wholeArguments(row, added), 'message'),
        words: `The arguments of ${type.name}/${row.verb}, the standard ones included.`,
      },
    ];
  });
}

/** Returns a validator for the response members that a hook's `after` adds, where there are any. */
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
