import type { Model, ModelDrop, ModelType, Problem } from '../../../src/descriptor/model.js';
import type { Change } from './compose.js';
import { releasedTypes } from './lineage.js';
import { narrowings } from './narrowing.js';
import { ownValueProblems } from './own-values.js';
import { refusals } from './refusals.js';

/**
 * Warns of names in `drops` that accept nothing, since what they accepted is released. The next
 * change of that property would be accepted in silence. `changes`: of each database.
 */
export function unusedDrops(changes: readonly Change[], model: Model): readonly Problem[] {
  const released = changes.filter(({ snapshot }) => snapshot !== undefined);
  if (released.length === 0) return [];
  const isUnused = (accepts: (change: Change) => boolean) => !released.some(accepts);
  return model.capabilities.flatMap((capability) => [
    ...capability.drops
      .filter(({ name }) =>
        isUnused(
          ({ difference, snapshot }) =>
            snapshot !== undefined &&
            difference.removed.some(
              (table) => (releasedTypes(snapshot).get(table.name)?.name ?? table.name) === name,
            ),
        ),
      )
      .map((drop) => unused(drop, 'beside `capability`')),
    ...capability.types.flatMap((type) =>
      type.drops
        .filter(({ name }) => isUnused((change) => accepts(change, type, name)))
        .map((drop) => unused(drop, `of ${type.name}`)),
    ),
  ]);
}

/** Returns whether the name accepts something: without it, other problems would be told. */
function accepts(change: Change, type: ModelType, name: string): boolean {
  const without = { ...type, drops: type.drops.filter((other) => other.name !== name) };
  return JSON.stringify(saidOf(change, type)) !== JSON.stringify(saidOf(change, without));
}

function saidOf(change: Change, type: ModelType): readonly Problem[] {
  const { snapshot, renames, difference, model } = change;
  const [capability] = model.capabilities;
  if (snapshot === undefined || capability === undefined) return [];
  const alone = { capabilities: [{ ...capability, types: [type] }] };
  const changed = difference.changed.filter(({ after }) => after.name === type.table);
  return [
    ...narrowings(snapshot, renames, alone),
    ...ownValueProblems(snapshot, alone),
    ...refusals({ added: [], removed: [], changed }, alone, snapshot),
  ];
}

function unused({ name, at }: ModelDrop, where: string): Problem {
  return {
    at,
    code: 'unused-drop',
    severity: 'warning',
    message:
      `drops: [${name}] ${where} has no change left to accept. Remove ${name} from it: otherwise ` +
      'it silently accepts the next change of that name.',
  };
}
