import type { JsonObject } from '../protocol/json.js';
import { blobCopy } from './blob/blob-copy.js';
import { blobGet } from './blob/blob-get.js';
import { blobLookup } from './blob/blob-lookup.js';
import { blobUpload } from './blob/blob-upload.js';
import type { BuiltInMethod } from './context.js';

/**
 * The methods that the engine implements by name; their arguments and responses are declared by
 * descriptors.
 */
const BUILT_IN: ReadonlyMap<string, BuiltInMethod> = new Map<string, BuiltInMethod>([
  // RFC 8620 4: the arguments as they came, result references resolved.
  ['Core/echo', (args: JsonObject) => args],
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

/** Whether the engine has the body of a method. */
export function isBuiltIn(name: string): boolean {
  return BUILT_IN.has(name);
}
