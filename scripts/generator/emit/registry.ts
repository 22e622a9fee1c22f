import type { EmittedFiles, Model } from '../../../src/descriptor/model.js';
import { constantName } from './capability.js';
import { quoted } from './code.js';
import { ALL_DESCRIPTORS, preamble } from './preamble.js';
import { ENGINE } from './sources.js';

/**
 * Returns the capabilities that the project's server offers, one line each: two branches that add
 * one each meet in a single place, and both lines stay.
 */
export function emitRegistry(model: Model): EmittedFiles {
  const words = [
    '// The capabilities of the package. A line below takes the place of the one of its name.',
    `export * from '${ENGINE}';`,
    '',
  ];
  return listing('generated/registry.ts', words, model);
}

/** Returns the package's own capabilities: what the registry of every project begins with. */
export function emitEngine(model: Model): EmittedFiles {
  return listing('generated/engine.ts', [], model);
}

function listing(path: string, before: readonly string[], { capabilities }: Model): EmittedFiles {
  const lines = capabilities.map(
    (capability) =>
      `export { ${constantName(capability)} } from ` +
      `${quoted(`./${capability.name}/capability.js`)};`,
  );
  return new Map([
    [path, `${preamble(ALL_DESCRIPTORS)}${[...before, ...lines].join('\n').trimEnd()}\n`],
  ]);
}
