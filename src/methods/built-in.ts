import { blobCopy } from './blob/copy.js';
import { blobGet } from './blob/get.js';
import { blobLookup } from './blob/lookup.js';
import { blobUpload } from './blob/upload.js';
import type { BuiltInMethod } from './context.js';
import { echo } from './echo.js';
import type { Registry } from './registry.js';

/**
 * The methods that the engine implements by name; their arguments and responses are declared by
 * descriptors.
 */
const BUILT_IN: ReadonlyMap<string, BuiltInMethod> = new Map<string, BuiltInMethod>([
  ['Core/echo', echo],
  ['Blob/upload', blobUpload],
  ['Blob/get', blobGet],
  ['Blob/lookup', blobLookup],
  ['Blob/copy', blobCopy],
]);

/**
 * Throws where a descriptor declares a method that nothing implements: a defect, answered as
 * `serverFail`.
 */
export function builtInMethod(name: string): BuiltInMethod {
  const method = BUILT_IN.get(name);
  if (method === undefined) throw new Error(`No built-in method is named ${name}.`);
  return method;
}

/** A descriptor declares a method that this server has no body for. */
export class MissingMethodError extends Error {
  override readonly name = 'MissingMethodError';
}

/** Throws MissingMethodError where a method of the registry, standard ones apart, has no body: said at start. */
export function requireBuiltIns(registry: Registry): void {
  const missing = [...registry.methods.values()]
    .filter(({ dataType, name }) => dataType === undefined && !BUILT_IN.has(name))
    .map(({ name, capability }) => `${name} (${capability})`);
  if (missing.length === 0) return;
  throw new MissingMethodError(
    `Nothing implements ${missing.join(', ')}. A method that a descriptor declares needs an entry in ` +
      'src/methods/built-in.ts.',
  );
}
