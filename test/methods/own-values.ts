import type { DataTypeDefinition, PropertyDefinition } from '../../src/capability/definition.js';
import type { Validator } from '../../src/capability/validation.js';

/** Returns a type with one more property, of which each user has a value of its own. */
export function withOwn(
  type: DataTypeDefinition,
  property: PropertyDefinition,
): DataTypeDefinition {
  const { name } = property;
  return {
    ...type,
    properties: [...type.properties, property],
    validate: { ...type.validate, update: without(type.validate.update, name) },
  };
}

/** The descriptor's validator doesn't know the property: its values are not judged. */
function without(validator: Validator, name: string): Validator {
  const judge = Object.assign((data: unknown) => {
    const { [name]: _, ...rest } = data as Record<string, unknown>;
    const isValid = validator(rest);
    judge.errors = validator.errors ?? null;
    return isValid;
  }, validator);
  return judge as Validator;
}
