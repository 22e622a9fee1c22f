import type { Changes, TypeHooks } from '../capability/hooks.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import type { Slices } from '../runtime/slices.js';
import type { StoredObject } from '../store/port.js';
import type { News } from './news.js';
import type { HookScope } from './scope.js';
import { frozenInSlices } from './walks.js';

/** Runs a type's `inTransaction` with what changed of it, and keeps its `afterCommit` for later. */
export async function tellNews(
  hooks: TypeHooks,
  [name, changes]: News,
  scope: HookScope,
  unit: UnitOfWork,
): Promise<void> {
  if (hooks.afterCommit !== undefined) {
    scope.keep(`afterCommit of ${name}`, async (call) => {
      // All that the transaction has done to the type by its end, once.
      const all = unit.changes().get(name) ?? changes;
      const slices = scope.context.services.conductor.startSlices();
      return hooks.afterCommit?.(await frozenChanges(all, slices), call);
    });
  }
  if (hooks.inTransaction === undefined) return;
  const offered = await frozenChanges(changes, unit.slices);
  await scope.run(
    `inTransaction of ${name}`,
    unit.transaction,
    (call, tx) => hooks.inTransaction?.(offered, call, tx),
    unit,
  );
}

/** What hooks are told is for reading: what they did to it would be written, or sent. */
function frozenChanges(
  { created, updated, destroyed }: Changes<StoredObject>,
  slices: Slices,
): Promise<Changes<never>> {
  return frozenInSlices({ created, updated, destroyed } as Changes<never>, slices);
}
