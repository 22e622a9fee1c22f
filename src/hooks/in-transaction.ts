import type { Changes, TypeHooks } from '../capability/hooks.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import { type News, NewsReader } from './news.js';
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
      const none: News[1] = { created: [], updated: [], destroyed: [] };
      const all = new Map(new NewsReader(unit).take()).get(name) ?? none;
      const slices = scope.context.services.conductor.startSlices();
      return hooks.afterCommit?.(await frozenInSlices(all as Changes<never>, slices), call);
    });
  }
  if (hooks.inTransaction === undefined) return;
  // What hooks are told is for reading: what they did to it would be written, or sent.
  const offered = await frozenInSlices(changes as Changes<never>, unit.slices);
  await scope.run(
    `inTransaction of ${name}`,
    unit.transaction,
    (call, tx) => hooks.inTransaction?.(offered, call, tx),
    unit,
  );
}
