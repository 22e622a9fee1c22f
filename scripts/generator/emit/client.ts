import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelType,
} from '../../../src/descriptor/model.js';
import { addClientTypes, definitionModules } from './client-definitions.js';
import { CLIENT_FOLDER } from './client-folder.js';
import { addIndex } from './client-index.js';
import {
  addMethodInterface,
  type OwnMethod,
  ownMethodsByName,
  ownMethodTypes,
} from './client-methods.js';
import { moduleNameOf } from './client-source.js';
import { addTable } from './client-table.js';
import { addTypeInterfaces } from './client-type.js';
import { GeneratedModule } from './generated-module.js';
import { ALL_DESCRIPTORS } from './preamble.js';
import { sourceOf } from './type-validators.js';

/**
 * Returns the typed client of a project: a module for each data type, and for each group of methods
 * that is no type. The interfaces of `$defs` have modules of their own.
 */
export async function emitClient(model: Model): Promise<EmittedFiles> {
  const own = ownMethodsByName(model);
  const modules = new Map<string, GeneratedModule>();
  const kept = new Set(
    typesIn(model)
      .filter(isKept)
      .map(({ name }) => name),
  );
  for (const capability of model.capabilities)
    for (const type of capability.types) {
      const methods = own.get(type.name) ?? [];
      const module = makeModule(type.name, capability);
      await addTypeInterfaces(module, capability, type, kept);
      await addMethodTypes(module, methods);
      if (type.methods.length + methods.length > 0)
        addMethodInterface(module, type.name, type, methods);
      addTable(module, type, methods, { capability });
      modules.set(moduleNameOf(type.name), module);
    }
  for (const [name, methods] of own) {
    const [first] = methods;
    if (first === undefined || modules.has(moduleNameOf(name))) continue;
    const module = makeModule(name, first.capability);
    await addMethodTypes(module, methods);
    addMethodInterface(module, name, undefined, methods);
    modules.set(moduleNameOf(name), module);
  }
  if (modules.size === 0) return new Map();
  for (const [name, module] of await definitionModules(model)) modules.set(name, module);
  const index = new GeneratedModule(`${CLIENT_FOLDER}/index.ts`, ALL_DESCRIPTORS);
  addIndex(index, model, modules);
  return new Map(
    [...modules, ['index', index] as const].map(([name, module]) => [
      `${CLIENT_FOLDER}/${name}.ts`,
      module.toString(),
    ]),
  );
}

/** Returns whether clients can keep a copy of a type: they learn what changes of it. */
function isKept({ methods }: ModelType): boolean {
  return ['get', 'changes'].every((verb) => methods.some(({ name }) => name === verb));
}

function makeModule(name: string, capability: ModelCapability): GeneratedModule {
  return new GeneratedModule(`${CLIENT_FOLDER}/${moduleNameOf(name)}.ts`, sourceOf(capability));
}

/** Adds the types of the arguments and responses of own methods. */
async function addMethodTypes(
  module: GeneratedModule,
  methods: readonly OwnMethod[],
): Promise<void> {
  for (const { capability, method } of methods)
    await addClientTypes(module, capability, ownMethodTypes(method));
}
