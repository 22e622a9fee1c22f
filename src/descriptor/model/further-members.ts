import type { JSONSchema7 } from 'json-schema';
import type { ModelStandardMethod, ModelType } from '../model.js';
import { STANDARD_METHODS, type StandardMethodRow } from '../standard-methods.js';

/**
 * The members that a descriptor adds to the standard methods and to the stored objects of a type.
 */

export interface StandardMethodOfType {
  readonly row: StandardMethodRow;
  readonly method: ModelStandardMethod;
}

/** Returns the standard methods that the type has, in the RFC's order. */
export function standardMethodsOf(type: ModelType): readonly StandardMethodOfType[] {
  return STANDARD_METHODS.flatMap((row) => {
    const method = type.methods.find(({ name }) => name === row.verb);
    return method === undefined ? [] : [{ row, method }];
  });
}

/** Returns whether the descriptor declares arguments or response members beside the RFC's. */
export function hasFurther(schema: JSONSchema7 | undefined): schema is JSONSchema7 {
  return schema !== undefined && Object.keys(schema.properties ?? {}).length > 0;
}

/** Returns the name of the wire type of the further members alone: `GadgetQueryArguments`. */
export function methodTypeName(
  type: ModelType,
  row: StandardMethodRow,
  part: 'Arguments' | 'Response',
): string {
  return `${type.name}${row.stem}${part}`;
}

/** Returns the standard arguments and the further ones, for the method's own validator. */
export function wholeArguments(row: StandardMethodRow, further: JSONSchema7): JSONSchema7 {
  return {
    ...row.arguments,
    properties: { ...row.arguments.properties, ...further.properties },
    required: [...(row.arguments.required ?? []), ...(further.required ?? [])],
  };
}

/** Returns the arguments by which results take a shape: the engine's own, which no hook gets. */
export function shapeArguments(
  { query }: Pick<ModelType, 'query'>,
  verb: StandardMethodRow['verb'],
): Readonly<Record<string, JSONSchema7>> {
  if (query === undefined || (verb !== 'query' && verb !== 'queryChanges')) return {};
  const { collapse, tree } = query;
  const rows: readonly (readonly [string | undefined, string])[] = [
    [collapse?.argument, `Of the results with one value of ${collapse?.by} give the first alone.`],
    [tree?.sort, `Sort each result behind the one that its ${tree?.by} names.`],
    [tree?.filter, `Leave out results below an object (${tree?.by}) that is left out.`],
  ];
  return Object.fromEntries(
    rows.flatMap(([name, description]) =>
      name === undefined ? [] : [[name, { type: 'boolean', description }] as const],
    ),
  );
}

/** Returns all arguments that a method of the type has beside the standard ones. */
export function addedArguments(
  type: ModelType,
  { row, method }: StandardMethodOfType,
): JSONSchema7 | undefined {
  const shapes = shapeArguments(type, row.verb);
  if (Object.keys(shapes).length === 0) return method.arguments;
  const further = method.arguments ?? { type: 'object', additionalProperties: false };
  return { ...further, properties: { ...further.properties, ...shapes } };
}
