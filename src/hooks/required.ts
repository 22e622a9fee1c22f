import { isAggregate } from '../capability/aggregates.js';
import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { TypeHooks } from '../capability/hooks.js';
import { quoted } from '../methods/issues.js';
import type { Registry } from '../methods/registry.js';
import { parseSpan } from '../runtime/spans.js';

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
    ...malformed(capability),
    ...malformedJobs(capability),
  ]);
  if (problems.length === 0) return;
  throw new MissingHookError(problems.join('\n'));
}

function missingMethods(capability: CapabilityDefinition, registry: Registry): readonly string[] {
  return capability.methods
    .filter(({ body }) => body === 'hookFile')
    .filter(({ name }) => functionOf(registry.ownMethods.get(name)) === undefined)
    .map(
      ({ name }) => `Nothing implements ${name}: ${fileOf(capability)} needs methods['${name}'].`,
    );
}

function missingComputes(capability: CapabilityDefinition): readonly string[] {
  const missing: string[] = [];
  for (const type of capability.dataTypes) {
    const hooks = capability.hooks?.types?.[type.name];
    const [answered] = type.answered ?? [];
    if (answered !== undefined && functionOf(hooks?.answer) === undefined)
      missing.push(
        `Nothing answers ${type.name}.${answered.name}: ${fileOf(capability)} needs ` +
          `types.${type.name}.answer.`,
      );
    for (const { name, computed } of type.properties) {
      const where = computed?.kind === 'on' ? 'computeOn' : 'compute';
      if (computed === undefined || isAggregate(computed)) continue;
      if (functionOf(hooks?.[where]?.[name]) !== undefined) continue;
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

/** Returns what is wrong with hooks that are given beside a limit of their own. */
function malformed(capability: CapabilityDefinition): readonly string[] {
  const file = fileOf(capability);
  const conversions = (capability.evolutions ?? []).map(({ file, table, convert }) => {
    const { name = table } = capability.dataTypes.find((one) => one.table === table) ?? {};
    return [`${file}: ${name}`, convert] as const;
  });
  const hooks = [...hooksOf(capability)].map(
    ([place, hook]) => [`${file}: ${place}`, hook] as const,
  );
  return [...hooks, ...conversions].flatMap(([place, hook]) => {
    if (hook === undefined || typeof hook === 'function') return [];
    if (functionOf(hook) === undefined) {
      return [`${place} is neither a function nor { timeout, run } with a function.`];
    }
    const { run: _, ...others } = hook as { readonly run: unknown; readonly timeout?: unknown };
    return Object.entries(others).flatMap(([name, value]) => {
      if (name === 'durable' && place.endsWith('.afterCommit')) return [];
      if (name !== 'timeout') return [`${place} has ${name}; it may have timeout and run.`];
      if (value === undefined || parseSpan(value) !== null) return [];
      const wrong = typeof value === 'string' ? quoted(value) : String(value);
      return [`${place}.timeout is ${wrong}, no span such as 500ms, 10s, 5m or 1h.`];
    });
  });
}

/** Returns what is wrong with the jobs of a hook file. */
function malformedJobs(capability: CapabilityDefinition): readonly string[] {
  return Object.entries(capability.hooks?.jobs ?? {}).flatMap(([name, job]) => {
    const place = `${fileOf(capability)}: jobs.${name}`;
    const { every, timeout, run }: Partial<Record<string, unknown>> = { ...job };
    return [
      ...(typeof run === 'function' ? [] : [`${place} needs the function run.`]),
      ...[every, timeout ?? '1s'].flatMap((span) =>
        parseSpan(span) === null
          ? [`${place}: ${String(span)} is no span such as 500ms, 10s, 5m or 1h.`]
          : [],
      ),
    ];
  });
}

/** Yields every hook that may have a limit of its own, with its place in `hooks`. */
function* hooksOf({ hooks = {} }: CapabilityDefinition): Generator<readonly [string, unknown]> {
  for (const [name, type] of Object.entries(hooks.types ?? {})) {
    const place = `types.${name}`;
    const { check, computeOn = {}, answer, inTransaction, afterCommit, methods = {} } = type;
    for (const [part, hook] of Object.entries({ check, answer, inTransaction, afterCommit }))
      yield [`${place}.${part}`, hook];
    for (const [property, hook] of Object.entries(computeOn))
      yield [`${place}.computeOn.${property}`, hook];
    for (const [verb, { before, after }] of Object.entries(methods))
      for (const [part, hook] of Object.entries({ before, after }))
        yield [`${place}.methods.${verb}.${part}`, hook];
  }
  yield ['accountCreated', hooks.accountCreated];
  for (const [name, hook] of Object.entries(hooks.methods ?? {}))
    yield [`methods[${quoted(name)}]`, hook];
}

/** Returns the function of a hook, given alone or beside its limit; undefined for none. */
function functionOf(hook: unknown): unknown {
  const run = typeof hook === 'object' && hook !== null ? Reflect.get(hook, 'run') : hook;
  return typeof run === 'function' ? run : undefined;
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
