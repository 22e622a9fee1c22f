import type { JSONSchema7 } from 'json-schema';
import type { EmittedFiles, Model } from '../../../src/descriptor/model.js';
import { sharedModule } from '../../../src/descriptor/shared-files.js';
import { GeneratedModule } from './generated-module.js';
import {
  importsOf,
  SHARED_TYPES,
  schemasOfMethod,
  schemasOfType,
  sharedSchemas,
  withShared,
} from './shared-schemas.js';
import { addWireTypes } from './wire-types.js';

/** Returns a module with the types of each file that descriptors share. */
export async function emitSharedTypes(model: Model): Promise<EmittedFiles> {
  const modules = new Map<string, SharedModule>();
  for (const { sharedTypes, types, methods } of model.capabilities) {
    if (sharedTypes === undefined) continue;
    const declared = [
      ...types.flatMap((type) => schemasOfType(type)),
      ...methods.flatMap(schemasOfMethod),
    ];
    for (const [title, schema] of sharedSchemas(declared, [])) {
      const file = sharedTypes.get(title);
      if (file === undefined) continue;
      const known = modules.get(file) ?? { schemas: new Map(), names: new Map() };
      modules.set(file, known);
      if (!known.schemas.has(title)) known.schemas.set(title, schema);
      for (const [name, of] of sharedTypes) known.names.set(name, of);
    }
  }
  const texts = new Map<string, string>();
  for (const [file, { schemas, names }] of modules) {
    const path = `${SHARED_TYPES}/${sharedModule(file)}.ts`;
    const module = new GeneratedModule(path, file);
    await addWireTypes(module, withShared([], schemas, importsOf(module, names, file)));
    texts.set(path, module.toString());
  }
  return texts;
}

/** The definitions of one file, and the files of what they may refer to. */
interface SharedModule {
  readonly schemas: Map<string, JSONSchema7>;
  readonly names: Map<string, string>;
}
