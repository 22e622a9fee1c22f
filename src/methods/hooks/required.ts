import type { CapabilityDefinition } from '../../capability/definition.js';
import { isBuiltIn } from '../built-in.js';
import type { Registry } from '../registry.js';

/** A descriptor declares what no function implements: the server does not start. */
export class MissingHookError extends Error {
  override readonly name = 'MissingHookError';
}

/**
 * Throws MissingHookError where a method or a computed property has no function, or a hook file has
 * functions that nothing declares: told at start, all at once.
 */
export function requireHooks(registry: Registry): void {
  const problems = [...registry.capabilities.values()].flatMap((capability) => [
    ...missingMethods(capability, registry),
    ...missingComputes(capability),
    ...strays(capability),
  ]);
  if (problems.length === 0) return;
  throw new MissingHookError(problems.join('\n'));
}

function missingMethods(capability: CapabilityDefinition, registry: Registry): readonly string[] {
  return capability.methods
    .filter(({ dataType, name }) => dataType === undefined && !isBuiltIn(name))
    .filter(({ name }) => !registry.ownMethods.has(name))
    .map(
      ({ name }) => `Nothing implements ${name}: ${fileOf(capability)} needs methods['${name}'].`,
    );
}

function missingComputes(capability: CapabilityDefinition): readonly string[] {
  const missing: string[] = [];
  for (const type of capability.dataTypes) {
    const hooks = capability.hooks?.types?.[type.name];
    for (const { name, computed } of type.properties) {
      const where = computed?.kind === 'on' ? 'computeOn' : 'compute';
      if (computed === undefined || computed.kind === 'count') continue;
      if (hooks?.[where]?.[name] !== undefined) continue;
      missing.push(
        `Nothing computes ${type.name}.${name}: ${fileOf(capability)} needs ` +
          `types.${type.name}.${where}.${name}.`,
      );
    }
  }
  return missing;
}

function strays(capability: CapabilityDefinition): readonly string[] {
  const types = new Set(capability.dataTypes.map(({ name }) => name));
  const methods = new Set(capability.methods.map(({ name }) => name));
  return [
    ...Object.keys(capability.hooks?.types ?? {})
      .filter((name) => !types.has(name))
      .map((name) => `${fileOf(capability)} has hooks of ${name}, which is no type of it.`),
    ...Object.keys(capability.hooks?.methods ?? {})
      .filter((name) => !methods.has(name))
      .map((name) => `${fileOf(capability)} implements ${name}, which is no method of it.`),
  ];
}

function fileOf({ name }: CapabilityDefinition): string {
  return `capabilities/${name}.hooks.ts`;
}
