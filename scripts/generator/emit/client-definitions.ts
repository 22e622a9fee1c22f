import type { JSONSchema7 } from 'json-schema';
import { isVisible } from '../../../src/descriptor/model/type-hash.js';
import type { Model, ModelCapability } from '../../../src/descriptor/model.js';
import { sharedModule } from '../../../src/descriptor/shared-files.js';
import { CLIENT_FOLDER } from './client-folder.js';
import { clientSource, withIds } from './client-source.js';
import { GeneratedModule } from './generated-module.js';
import {
  type ImportName,
  schemasOfMethod,
  schemasOfType,
  sharedSchemas,
  withShared,
} from './shared-schemas.js';
import { sourceOf } from './type-validators.js';
import { addWireTypes, type NamedSchema } from './wire-types.js';

/** The definitions of a descriptor, or of a file that several share: a module of the client. */
interface Definitions {
  readonly capability: ModelCapability;
  /** The file that several descriptors share. */
  readonly file?: string;
  readonly schemas: Map<string, JSONSchema7>;
}

/** Returns the modules with the interfaces of `$defs`, by their names without an end. */
export async function definitionModules(
  model: Model,
): Promise<ReadonlyMap<string, GeneratedModule>> {
  const modules = new Map<string, GeneratedModule>();
  for (const [name, { capability, file, schemas }] of gatherDefinitions(model)) {
    const path = `${CLIENT_FOLDER}/${name}.ts`;
    const module = new GeneratedModule(path, file ?? sourceOf(capability));
    const imports = definitionImports(module, capability, [], name);
    // Each is declared here: only those of other modules have an import.
    const types = withShared([], schemas, imports);
    await addWireTypes(module, withIds(module, types));
    modules.set(name, module);
  }
  return modules;
}

/** Returns the definitions that types and methods of clients use, by the names of their modules. */
function gatherDefinitions({ capabilities }: Model): ReadonlyMap<string, Definitions> {
  const modules = new Map<string, Definitions>();
  for (const capability of capabilities) {
    const schemas = [
      ...capability.types.flatMap((type) => schemasOfType(type, type.properties.filter(isVisible))),
      ...capability.methods.flatMap(schemasOfMethod),
    ];
    for (const [title, schema] of sharedSchemas(schemas, [])) {
      const name = definitionModule(capability, title);
      const file = capability.sharedTypes?.get(title);
      const known = modules.get(name) ?? {
        capability,
        ...(file === undefined ? {} : { file }),
        schemas: new Map(),
      };
      modules.set(name, known);
      if (!known.schemas.has(title)) known.schemas.set(title, schema);
    }
  }
  return modules;
}

/** Returns the name of the module that has a definition of a capability. */
function definitionModule({ name, sharedTypes }: ModelCapability, title: string): string {
  const file = sharedTypes?.get(title);
  return file === undefined
    ? `${name}.definitions`
    : `${sharedModule(file).replaceAll('/', '.')}.shared`;
}

/**
 * Returns how a module imports definitions of a capability. It imports none of its own, and none
 * whose name one of its `types` has: such a definition is written out.
 */
export function definitionImports(
  module: GeneratedModule,
  capability: ModelCapability,
  types: readonly string[],
  own?: string,
): ImportName {
  return (title) => {
    const from = definitionModule(capability, title);
    if (types.includes(title) || from === own) return undefined;
    return () => module.type(clientSource(from), title);
  };
}

/**
 * Adds types with names for the definitions of a capability that they use. One of no members allows
 * none: an empty interface would take any value.
 */
export async function addClientTypes(
  module: GeneratedModule,
  capability: ModelCapability,
  types: readonly NamedSchema[],
  bases: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const names = [...types.map(([name]) => name), ...module.exportedTypes];
  const imports = definitionImports(module, capability, names);
  for (const [name, schema] of withIds(module, withShared(types, new Map(), imports)))
    if (isEmpty(schema) && !bases.has(name))
      module.addTypeAlias(name, 'Readonly<Record<string, never>>', schema.description);
    else await addWireTypes(module, [[name, schema]], bases);
}

function isEmpty({ type, properties = {}, additionalProperties }: JSONSchema7): boolean {
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  return type === 'object' && isClosed && Object.keys(properties).length === 0;
}
