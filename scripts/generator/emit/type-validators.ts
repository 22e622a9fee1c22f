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
  ModelProperty,
  ModelType,
} from '../../../src/descriptor/model.js';
import {
  type AjvSchema,
  mainType,
  validationSchema,
} from '../../../src/descriptor/validation/schema.js';
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
  const { name, properties, filters, answered = [], errors = [] } = type;
  const { additionalProperties, ...open } = closed(properties.filter(isGiven).map(storedSchema));
  return [
    {
      name: 'update',
      words: `The values of properties of ${name} that a create or an update gives.`,
      // The engine judges unknown properties by itself.
      schema: type.keepsUnknown === true ? open : { ...open, additionalProperties },
    },
    {
      name: 'filter',
      words: `One FilterCondition of ${name}/query.`,
      schema: closed(
        filters.map((each) => [each.name, validationSchema(orNull(each.schema), 'message')]),
      ),
    },
    ...ofSome(properties.filter(isGivenByHooks), (given) => ({
      name: 'server',
      words: `The values of ${name} that hooks give and clients don't.`,
      schema: closed(given.map(storedSchema)),
    })),
    ...ofSome(hasMembers(type) ? errors : [], (given) => ({
      name: 'errors',
      words: `The members of an error of ${name}, under its name.`,
      schema: validationSchema(closed(given.map((each) => [each.name, each.members])), 'message'),
    })),
    ...ofSome(answered, (given) => ({
      name: 'answered',
      words: `The properties of ${name} that hooks compute when they are read.`,
      schema: validationSchema(closed(given.map((each) => [each.name, each.schema])), 'message'),
    })),
    ...argumentValidators(type),
    ...responseValidators(type),
  ];
}

/** Returns whether an error of the type's own has members. */
export function hasMembers({ errors = [] }: ModelType): boolean {
  return errors.some(({ members }) => hasFurther(members));
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

/** Returns the schema of an object with these members and no others. */
function closed<Schema>(members: readonly (readonly [name: string, schema: Schema])[]) {
  const properties = Object.fromEntries(members);
  return { type: 'object' as const, properties, additionalProperties: false };
}

function storedSchema({ name, schema }: ModelProperty): readonly [string, AjvSchema] {
  return [name, validationSchema(schema, 'stored')];
}

/** Returns what is made of a list; nothing of an empty one. */
function ofSome<T, Made>(list: readonly T[], make: (list: readonly T[]) => Made): readonly Made[] {
  return list.length === 0 ? [] : [make(list)];
}
