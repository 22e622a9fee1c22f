import type { EmittedFiles, Model } from '../../../src/descriptor/model.js';
import { addDefinition } from './definition.js';
import { GeneratedModule } from './generated-module.js';
import { addTypesOf } from './type-types.js';
import { sourceOf } from './type-validators.js';

/**
 * Returns one module for each data type: its types, then its definition and its standard methods.
 */
export async function emitTypeModules(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    for (const type of capability.types) {
      const path = `generated/${capability.name}/${type.name}.definition.ts`;
      const module = new GeneratedModule(path, sourceOf(capability));
      await addTypesOf(module, capability, type);
      addDefinition(module, capability, type);
      files.set(path, module.toString());
    }
  }
  return files;
}
