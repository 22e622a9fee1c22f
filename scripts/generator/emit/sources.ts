import type { ModelCapability } from '../../../src/descriptor/model.js';
import { RUNTIME_MODULE } from '../../../src/descriptor/validation/keywords.js';
import type { Source } from './generated-module.js';

/** The modules that generated modules import. */

/** The vocabulary between generated code and the engine. */
export const JMAP = Object.freeze({ from: RUNTIME_MODULE, as: 'jmap' });

/** The standard methods, the same for every type. */
export const STANDARD = Object.freeze({ from: 'jmapsmith/standard', as: 'standard' });

/** The capabilities that the package brings. */
export const ENGINE = 'jmapsmith/engine';

/** Returns a generated file of the capability: `Todo.definition`, `methods`. */
export function fileOf({ name }: Pick<ModelCapability, 'name'>, file: string): Source {
  return { from: `./generated/${name}/${file}.js` };
}

export function validatorsOf(
  capability: Pick<ModelCapability, 'name'>,
  file: string,
): Source & { readonly as: string } {
  return { ...fileOf(capability, `${file}.validators`), as: 'validators' };
}
