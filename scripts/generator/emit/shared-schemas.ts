import type { JSONSchema7 } from 'json-schema';
import { mapInner } from '../../../src/descriptor/model/inner-schemas.js';
import type { ModelMethod, ModelStandardMethod, ModelType } from '../../../src/descriptor/model.js';
import { sharedModule } from '../../../src/descriptor/shared-files.js';
import type { GeneratedModule } from './generated-module.js';

/** The folder of the types that several descriptors share. */
export const SHARED_TYPES = 'generated/shared';

/**
 * Schemas of `$defs` carry a title wherever they are used. Each becomes one exported type of a
 * module, and its uses the name of that type.
 */
export type SharedSchemas = ReadonlyMap<string, JSONSchema7>;

/**
 * Returns how a type comes from the module of a shared file: a function that imports it and returns
 * its name here. Undefined for a type that the module declares.
 */
export type ImportName = (title: string) => (() => string) | undefined;

/** Returns the same for a module with definitions of a capability, or of a shared file itself. */
export function importsOf(
  module: GeneratedModule,
  sharedTypes: ReadonlyMap<string, string> = new Map(),
  ownFile?: string,
): ImportName {
  return (title) => {
    const file = sharedTypes.get(title);
    if (file === undefined || file === ownFile) return undefined;
    return () => module.type({ from: `./${SHARED_TYPES}/${sharedModule(file)}.js` }, title);
  };
}

type Named = readonly (readonly [string, JSONSchema7])[];

/**
 * Returns the titled schemas within others, but for titles that name another type of the module.
 */
export function sharedSchemas(
  schemas: readonly (JSONSchema7 | undefined)[],
  taken: readonly string[],
): SharedSchemas {
  const found = new Map<string, JSONSchema7>();
  const visit = (schema: JSONSchema7): JSONSchema7 => {
    const { title } = schema;
    if (title !== undefined && !taken.includes(title) && !found.has(title))
      found.set(title, schema);
    return mapInner(schema, visit);
  };
  for (const schema of schemas) if (schema !== undefined) visit(schema);
  return found;
}

/**
 * Returns the types of a module, then the shared ones, all of them with names for what is shared.
 */
export function withShared(
  types: Named,
  shared: SharedSchemas,
  importName: ImportName = () => undefined,
): Named {
  const named = types.map(([name, schema]) => [name, mapInner(schema, nameShared)] as const);
  const declared = [...shared].filter(([name]) => importName(name) === undefined);
  const own = declared.map(
    ([name, schema]) => [name, mapInner(withoutNull(schema), nameShared)] as const,
  );
  return [...named, ...own];

  function nameShared(schema: JSONSchema7): JSONSchema7 {
    const { title, description } = schema;
    if (title === undefined || !(shared.has(title) || importName(title) !== undefined)) {
      const { title: _title, ...rest } = schema;
      return mapInner(rest, nameShared);
    }
    const name = importName(title)?.() ?? title;
    const tsType = [schema.type].flat().includes('null') ? `(${name} | null)` : name;
    // `tsType` is json-schema-to-typescript's word for text that it takes over.
    return { ...(description === undefined ? {} : { description }), tsType } as JSONSchema7;
  }
}

/** Returns the schemas of all that a type declares; of its properties those given alone. */
export function schemasOfType(
  { properties, methods, errors = [], answered = [] }: ModelType,
  shown = properties,
): readonly (JSONSchema7 | undefined)[] {
  return [
    ...shown.map(({ schema }) => schema),
    ...methods.flatMap(schemasOfMethod),
    ...errors.map(({ members }) => members),
    ...answered.map(({ schema }) => schema),
  ];
}

/** Returns the schemas of a method's arguments and of its response. */
export function schemasOfMethod(
  method: ModelMethod | ModelStandardMethod,
): readonly (JSONSchema7 | undefined)[] {
  return [method.arguments, method.response];
}

/** Returns a shared schema without null, which stands at its uses: one may have it, another not. */
function withoutNull(schema: JSONSchema7): JSONSchema7 {
  if (!Array.isArray(schema.type)) return schema;
  const [type, ...others] = schema.type.filter((name) => name !== 'null');
  const values = schema.enum?.filter((value) => value !== null);
  return {
    ...schema,
    ...(type === undefined || others.length > 0 ? {} : { type }),
    ...(values === undefined ? {} : { enum: values }),
  };
}
