import type { Duration, Hook } from '../capability/hooks.js';
import { parseSpan } from '../runtime/spans.js';
import type { TimedHook } from './budget.js';

/** A function of a hook file and its name and limit. */
export interface NamedHook<Run> extends TimedHook {
  readonly run: Run;
}

/** Returns a hook under a name; undefined if the file has none. */
export function namedHook<Run>(
  what: string,
  hook: Hook<Run> | undefined,
): NamedHook<Run> | undefined {
  return hook === undefined ? undefined : nameHook(what, hook);
}

/** Returns a hook under a name. */
export function nameHook<Run>(what: string, hook: Hook<Run>): NamedHook<Run> {
  if (typeof hook === 'function') return { what, limit: null, run: hook };
  const { run, timeout } = hook as Exclude<Hook<Run>, Run>;
  return { what, limit: timeout === undefined ? null : limitOf(timeout), run };
}

/** Returns whether an `afterCommit` runs at least once. */
export function isDurable(hook: unknown): boolean {
  return typeof hook === 'object' && hook !== null && Reflect.get(hook, 'durable') === true;
}

/** The start has judged it (required.ts). */
function limitOf(timeout: Duration): number {
  return parseSpan(timeout) ?? 0;
}
