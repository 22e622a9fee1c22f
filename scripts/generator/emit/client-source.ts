import type { JSONSchema7 } from 'json-schema';
import { type IdTarget, targetOf } from '../../../src/descriptor/model/id-schemas.js';
import { mapInner } from '../../../src/descriptor/model/inner-schemas.js';
import { CLIENT_FOLDER, CLIENT_PACKAGE } from './client-folder.js';
import { literal } from './code.js';
import type { GeneratedModule, Source } from './generated-module.js';
import { lean } from './lean-schema.js';
import type { NamedSchema } from './wire-types.js';

/** Its types and functions, `jmap.Id`. */
export const CLIENT = Object.freeze({ from: CLIENT_PACKAGE, as: 'jmap' });

/** Returns a module of the client by its name without an end: `Todo`. */
export function clientSource(module: string): Source {
  return { from: `./${CLIENT_FOLDER}/${module}.js` };
}

/** Returns the module of a type or of a group of methods. Some file systems see no letter case. */
export function moduleNameOf(name: string): string {
  return name.toLowerCase() === 'index' ? `${name}.type` : name;
}

/** Returns the types with ids as the client has them: `jmap.Id<'Todo'>`. */
export function withIds(module: GeneratedModule, types: readonly NamedSchema[]): NamedSchema[] {
  return types.map(([name, schema]) => [name, nameIds(module, schema)]);
}

/** Returns a schema in which the ids of objects and blobs have their TypeScript types. */
function nameIds(module: GeneratedModule, schema: JSONSchema7): JSONSchema7 {
  const inner = mapInner(schema, (each) => nameIds(module, each));
  const target = targetOf(schema);
  if (target === undefined) return inner;
  const id = idType(module, target);
  const types = [schema.type].flat();
  const text = types.includes('string') ? id : keyedType(id, inner);
  if (text === undefined) return inner;
  const tsType = types.includes('null') ? `(${text} | null)` : text;
  const { description } = schema;
  return { ...(description === undefined ? {} : { description }), tsType } as JSONSchema7;
}

/** Returns the type of ids: of objects of a type, or of blobs. */
export function idType(module: GeneratedModule, target: IdTarget): string {
  return target === null
    ? module.type(CLIENT, 'BlobId')
    : `${module.type(CLIENT, 'Id')}<${literal(target)}>`;
}

/** Returns the type of a set or a map with such keys; undefined where its values have parts. */
function keyedType(key: string, schema: JSONSchema7): string | undefined {
  const { additionalProperties: values, properties } = schema;
  if (properties !== undefined || typeof values !== 'object') return undefined;
  const value = valueType(values);
  return value === undefined ? undefined : `Readonly<Record<${key}, ${value}>>`;
}

/** Returns the type of a value without parts, or of one whose type has a name. */
function valueType(values: JSONSchema7): string | undefined {
  if (values.enum?.every((value) => value === true)) return 'true';
  const { properties = {} } = lean({ type: 'object', properties: { values } });
  const { tsType } = properties['values'] as { readonly tsType?: string };
  return tsType;
}
