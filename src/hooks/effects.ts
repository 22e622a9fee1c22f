import type { EffectCall } from '../capability/hooks.js';
import type { Services } from '../methods/context.js';
import { namedFailure } from '../methods/hook-errors.js';
import { HookBudget } from './budget.js';
import { CONVERTING, convertKept } from './convert-kept.js';
import { readKept } from './kept-changes.js';
import type { RegistryHooks } from './runner.js';
import type { HookServices } from './scope.js';
import type { EffectHook } from './task-kinds.js';

/** The task of an effect. */
interface EffectTask {
  readonly accountId: string;
  readonly id: string;
  readonly payload: string;
  readonly attempt: number;
}

interface EffectServices {
  readonly hooks: RegistryHooks;
  readonly services: Services;
  readonly hookServices: HookServices;
}

/** Runs a durable `afterCommit` with what a task has kept. Rejects if it fails. */
export async function runEffect(
  { hooks, services, hookServices: { timeout } }: EffectServices,
  hook: EffectHook,
  { accountId, id: effectId, attempt, payload }: EffectTask,
): Promise<void> {
  const { type, limit, what } = hook;
  const deadline = performance.now() + CONVERTING;
  const { evolutions } = hooks.registry;
  const conversions = { type, accountId, timeout, deadline, evolutions };
  const slices = services.conductor.startSlices();
  const { call, changes } = await readKept(type, payload, slices, (values, reached) =>
    convertKept(values, reached, conversions),
  );
  const budget = new HookBudget(timeout, Number.POSITIVE_INFINITY);
  const { signal } = budget;
  const { userId, method, arguments: args, createdIds, refused } = call;
  const end = performance.now() + (limit ?? timeout);
  const effect = Object.freeze({
    ...{ accountId, effectId, attempt, userId, signal },
    ...{ method, arguments: args, refused },
    createdIds: new Map(createdIds),
    isReadOnly: false,
    inAccount: hooks.workIn(services, hook, { accountId, userId, end, signal }),
  } satisfies EffectCall);
  await budget
    .run(hook, async () => hook.run(changes as never, effect as never))
    .catch((error: unknown) => {
      throw namedFailure(what, error);
    });
}
