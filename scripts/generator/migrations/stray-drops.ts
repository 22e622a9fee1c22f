import { didYouMean, nearest } from '../../../src/descriptor/check/did-you-mean.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelDrop, Problem } from '../../../src/descriptor/model.js';
import type { Snapshot } from './history.js';
import { releasedTypes } from './lineage.js';

/**
 * Reports words in `drops` that name nothing, where a change was refused that one of them means.
 * Without a refused change they are told as unused (unused-drops.ts).
 */
export function strayDrops(
  snapshot: Snapshot,
  model: Model,
  problems: readonly Problem[],
): readonly Problem[] {
  if (problems.length === 0) return [];
  const released = releasedTypes(snapshot);
  const types = typesIn(model);
  const typeNames = [...released.values()].map(({ name }) => name);
  return [
    ...model.capabilities.flatMap(({ drops }) => stray(drops, typeNames, types, problems)),
    ...types.flatMap(({ drops, table, properties }) => {
      const names = released.get(table)?.properties.map(({ name }) => name) ?? [];
      return stray(drops, names, properties, problems);
    }),
  ];
}

/** `before`: names of the last release; `now`: what is called so or otherwise today. */
function stray(
  drops: readonly ModelDrop[],
  before: readonly string[],
  now: readonly Pick<ModelDrop, 'name' | 'at'>[],
  problems: readonly Problem[],
): readonly Problem[] {
  const present = new Set(now.map(({ name }) => name));
  const accepted = new Set(drops.map(({ name }) => name));
  const refused = now.filter(({ at }) => problems.some((problem) => problem.at === at));
  const meant = [
    ...before.filter((name) => !present.has(name)),
    ...refused.map(({ name }) => name),
  ].filter((name) => !accepted.has(name));
  return drops
    .filter(({ name }) => !before.includes(name) && !present.has(name))
    .filter(({ name }) => nearest(name, meant) !== undefined)
    .map(({ name, at }) => ({
      at,
      code: 'unused-drop',
      message:
        `drops: [${name}] names nothing, neither of the last release nor of the descriptor.` +
        didYouMean(name, meant),
    }));
}
