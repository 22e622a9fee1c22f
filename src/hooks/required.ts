import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { TypeHooks } from '../capability/hooks.js';
import type { Registry } from '../methods/registry.js';

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
    .filter(({ body }) => body === 'hookFile')
    .filter(({ name }) => typeof registry.ownMethods.get(name) !== 'function')
    .map(
      ({ name }) => `Nothing implements ${name}: ${fileOf(capability)} needs methods['${name}'].`,
    );
}

function missingComputes(capability: CapabilityDefinition): readonly string[] {
  const missing: string[] = [];
  for (const type of capability.dataTypes) {
    const hooks = capability.hooks?.types?.[type.name];
    const [answered] = type.answered ?? [];
    if (answered !== undefined && typeof hooks?.answer !== 'function')
      missing.push(
        `Nothing answers ${type.name}.${answered.name}: ${fileOf(capability)} needs ` +
          `types.${type.name}.answer.`,
      );
    for (const { name, computed } of type.properties) {
      const where = computed?.kind === 'on' ? 'computeOn' : 'compute';
      if (computed === undefined || computed.kind === 'count') continue;
      if (typeof hooks?.[where]?.[name] === 'function') continue;
      missing.push(
        `Nothing computes ${type.name}.${name}: ${fileOf(capability)} needs ` +
          `types.${type.name}.${where}.${name}.`,
      );
    }
  }
  return missing;
}

function strays(capability: CapabilityDefinition): readonly string[] {
  const file = fileOf(capability);
  const { types = {}, methods = {} } = capability.hooks ?? {};
  const declared = new Set(capability.methods.map(({ name }) => name));
  return [
    ...Object.entries(types).flatMap(([name, hooks]) => {
      const type = capability.dataTypes.find((one) => one.name === name);
      return type === undefined
        ? [`${file} has hooks of ${name}, which is no type of it.`]
        : straysOf(type, hooks, capability.methods).map(
            (what) => `${file} has types.${name}.${what}.`,
          );
    }),
    ...Object.keys(methods)
      .filter((name) => !declared.has(name))
      .map((name) => `${file} implements ${name}, which is no method of it.`),
  ];
}

const TYPE_KEYS = [
  ...['check', 'compute', 'computeOn', 'answer', 'inTransaction', 'afterCommit', 'methods'],
];

/** Returns the names that no call would ever use, each with why, to reveal typing errors. */
function straysOf(
  type: DataTypeDefinition,
  hooks: TypeHooks,
  methods: readonly MethodDefinition[],
): readonly string[] {
  const computed = (kind: 'from' | 'on'): ReadonlySet<string> =>
    new Set(type.properties.filter((one) => one.computed?.kind === kind).map(({ name }) => name));
  const strange = (part: object | undefined, known: ReadonlySet<string>): readonly string[] =>
    Object.keys(part ?? {}).filter((name) => !known.has(name));
  const own = new Set(
    methods.flatMap(({ dataType, body }) => (dataType?.name === type.name ? [body] : [])),
  );
  return [
    ...strange(hooks, new Set(TYPE_KEYS)).map((name) => `${name}, which is no hook`),
    ...(hooks.answer !== undefined && type.answered === undefined
      ? ['answer, although the type has no answered properties']
      : []),
    ...strange(hooks.compute, computed('from')).map(
      (name) => `compute.${name}, which is computed from nothing`,
    ),
    ...strange(hooks.computeOn, computed('on')).map(
      (name) => `computeOn.${name}, which follows nothing`,
    ),
    ...strange(hooks.methods, own).map((name) => `methods.${name}, which is no method of it`),
  ];
}

function fileOf({ name }: CapabilityDefinition): string {
  return `capabilities/${name}.hooks.ts`;
}
