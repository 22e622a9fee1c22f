import type { JobCall } from '../capability/capability-hooks.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { Registry } from '../methods/registry.js';
import { parseSpan } from '../runtime/spans.js';
import { effectKind } from './kept-changes.js';
import { isDurable, type NamedHook, namedHook } from './timed.js';

/** The hooks that the server runs by itself, by the kinds of their tasks. */

type Effect = (...args: never[]) => unknown;

/** A durable `afterCommit`. */
export interface EffectHook extends NamedHook<Effect> {
  readonly type: DataTypeDefinition;
}

/** An `accountCreated`. */
export interface AccountHook extends NamedHook<Effect> {
  readonly capability: string;
}

/** One of `jobs`. */
export interface JobHook extends NamedHook<(job: JobCall) => unknown> {
  readonly name: string;
  /** Ms. */
  readonly every: number;
}

/** Returns the kinds of tasks that the hooks of a registry do. */
export function listTaskKinds(registry: Registry): readonly string[] {
  return [...effectsOf(registry).keys(), ...listAccountCreatedKinds(registry)];
}

/**
 * Returns the kinds of the tasks to store with a new account. Only the process that creates the
 * account stores them, so an account of a version without the hook gets none.
 */
export function listAccountCreatedKinds(registry: Registry): readonly string[] {
  return [...accountHooksOf(registry).keys()];
}

export function effectsOf({ typeHooks, dataTypes }: Registry): ReadonlyMap<string, EffectHook> {
  const effects = new Map<string, EffectHook>();
  for (const [name, { afterCommit }] of typeHooks) {
    if (!isDurable(afterCommit)) continue;
    const hook = namedHook<Effect>(`afterCommit of ${name}`, afterCommit);
    const type = dataTypes.get(name);
    if (hook !== undefined && type !== undefined) effects.set(effectKind(type), { ...hook, type });
  }
  return effects;
}

export function accountHooksOf({ capabilities }: Registry): ReadonlyMap<string, AccountHook> {
  const hooksByKind = new Map<string, AccountHook>();
  for (const { urn, name, hooks } of capabilities.values()) {
    const hook = namedHook(`accountCreated of ${name}`, hooks?.accountCreated);
    if (hook !== undefined) hooksByKind.set(`accountCreated:${name}`, { ...hook, capability: urn });
  }
  return hooksByKind;
}

export function jobsOf({ capabilities }: Registry): readonly JobHook[] {
  return [...capabilities.values()].flatMap(({ name: file, hooks }) =>
    Object.entries(hooks?.jobs ?? {}).map(([name, { every, timeout, run }]) => ({
      ...{ name: `${file}/${name}`, what: `job ${name} of ${file}` },
      every: parseSpan(every) ?? 0,
      limit: timeout === undefined ? null : (parseSpan(timeout) ?? 0),
      run,
    })),
  );
}
