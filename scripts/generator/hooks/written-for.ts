import { meaningHash } from '../../../src/descriptor/model/hash.js';
import type { ModelCapability, ModelMethod, ModelProperty } from '../../../src/descriptor/model.js';

const MARK = 'written for:';

/** Returns whether a capability can have logic: otherwise a hook file has nothing to say. */
export function mayHaveHooks(capability: ModelCapability): boolean {
  return capability.types.length > 0 || ownMethodsOf(capability).length > 0;
}

export function ownMethodsOf({ methods }: ModelCapability): readonly ModelMethod[] {
  return methods.filter(({ builtIn }) => !builtIn);
}

/**
 * Returns a hash of the part of a descriptor that hooks see: types and properties, methods and what
 * they take. Filters, sorts and indexes change nothing for a hook file.
 */
export function writtenFor(capability: ModelCapability): string {
  const seen = {
    types: capability.types.map(({ name, properties, methods, singleton, errors, answered }) => ({
      name,
      errors,
      answered,
      singleton,
      properties: properties.map(seenOf),
      methods,
    })),
    methods: ownMethodsOf(capability).map(({ name, account, arguments: args, response }) => ({
      name,
      account,
      arguments: args,
      response,
    })),
  };
  return meaningHash(seen).slice('sha256-'.length, 'sha256-'.length + 12);
}

/** Returns the line that a hook file begins with. */
export function markOf(capability: ModelCapability, hash = writtenFor(capability)): string {
  return `// ${MARK} ${hash}`;
}

/**
 * Returns the hash that a hook file says it was written for, and its line; null where it says none.
 */
export function readMark(text: string): { readonly hash: string; readonly line: number } | null {
  const lines = text.split('\n', 40);
  const index = lines.findIndex((line) => line.trimStart().startsWith(`// ${MARK}`));
  if (index < 0) return null;
  const hash = (lines[index] ?? '').split(MARK)[1]?.trim() ?? '';
  return { hash, line: index + 1 };
}

function seenOf(property: ModelProperty): object {
  const { name, access, kind, nullable, optional, required, schema, computed, references } =
    property;
  const seen = { name, access, kind, nullable, optional, required, schema, computed };
  return references.length === 0 ? seen : { ...seen, references };
}
