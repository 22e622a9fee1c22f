import { didYouMean, nearest } from '../../../src/descriptor/check/did-you-mean.js';
import { listed } from '../../../src/descriptor/check/rule.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type {
  Model,
  ModelDrop,
  ModelProperty,
  ModelType,
  Problem,
} from '../../../src/descriptor/model.js';
import type { History, PastNames, Snapshot } from './history.js';
import { predecessorOf, releasedTypes } from './lineage.js';

export interface StrayRenames {
  readonly problems: readonly Problem[];
  /** The model without the parts that the slip makes look removed. */
  readonly model: Model;
}

/**
 * Reports a `renamedFrom` of a new type or property that names nothing of the last release. If the
 * last release already has the present name, `renamedFrom` has done its work and may stay. `past`:
 * by table, to tell that from a slip.
 */
export function strayRenames(
  snapshot: Snapshot,
  model: Model,
  past: History['properties'],
): StrayRenames {
  const problems: Problem[] = [];
  const released = [...releasedTypes(snapshot).values()];
  const tables = new Set(released.map(({ table }) => table));
  const names = unclaimed(
    released.map(({ name }) => name),
    typesIn(model),
  );
  const capabilities = model.capabilities.map((capability) => {
    const drops: ModelDrop[] = [...capability.drops];
    const types = capability.types.map((type) => {
      const { renamedFrom, name, at } = type;
      if (renamedFrom === undefined || tables.has(type.table))
        return withoutStray(type, snapshot, past.get(type.table), problems);
      const meant = nearest(renamedFrom, names);
      if (meant !== undefined) drops.push({ name: meant, at });
      problems.push(stray(`type ${name}`, type, renamedFrom, names));
      return type;
    });
    return { ...capability, types, drops };
  });
  return { problems, model: { capabilities } };
}

function withoutStray(
  type: ModelType,
  snapshot: Snapshot,
  past: PastNames | undefined,
  problems: Problem[],
): ModelType {
  const before = releasedTypes(snapshot).get(type.table);
  if (before?.known === undefined) return type;
  const names = unclaimed(
    before.properties.map(({ name }) => name),
    type.properties,
  );
  const drops: ModelDrop[] = [...type.drops];
  for (const property of type.properties) {
    const { renamedFrom, name, at } = property;
    if (renamedFrom === undefined) continue;
    const isThere = predecessorOf(before, type, property) !== undefined;
    if (isThere && !isSlip(property, renamedFrom, type, past)) continue;
    const meant = nearest(renamedFrom, names);
    if (meant !== undefined) drops.push({ name: meant, at });
    const what = `property ${type.name}.${name}`;
    problems.push(
      isThere
        ? neverThere(what, property, renamedFrom, past)
        : stray(what, property, renamedFrom, names),
    );
  }
  return { ...type, drops };
}

/**
 * Returns whether the `renamedFrom` of a released property names what no release had. A property of
 * the type's first release may be older than the migrations: there only a name that is close to one
 * that has gone is a slip.
 */
function isSlip(
  { name }: ModelProperty,
  renamedFrom: string,
  type: ModelType,
  past: PastNames | undefined,
): boolean {
  if (past === undefined || past.all.has(renamedFrom)) return false;
  if (!past.first.has(name)) return true;
  return nearest(renamedFrom, unclaimed([...past.all], type.properties)) !== undefined;
}

/** Returns names of the last release that nothing has now: one of them is meant. */
function unclaimed(
  names: readonly string[],
  now: readonly { readonly name: string }[],
): readonly string[] {
  const taken = new Set(now.map(({ name }) => name));
  return names.filter((name) => !taken.has(name));
}

function stray(
  what: string,
  { at }: Pick<ModelType, 'at'>,
  renamedFrom: string,
  names: readonly string[],
): Problem {
  const there =
    names.length === 0
      ? 'Every name that it had is still in the descriptors.'
      : `It had these names, and the descriptors no longer do: ${listed(names)}.`;
  return {
    at,
    code: 'bad-rename',
    message:
      `the ${what} has renamedFrom: ${renamedFrom}, and the last release has nothing of that ` +
      `name.${didYouMean(renamedFrom, names)} ${there}`,
  };
}

function neverThere(
  what: string,
  { at, name }: ModelProperty,
  renamedFrom: string,
  past: PastNames | undefined,
): Problem {
  const others = [...(past?.all ?? [])].filter((one) => one !== name);
  return {
    at,
    code: 'bad-rename',
    message:
      `the ${what} has renamedFrom: ${renamedFrom}, and no release had a property of that name ` +
      `in its type.${didYouMean(renamedFrom, others)} The last release has ${name} already: ` +
      'remove renamedFrom if nothing was renamed.',
  };
}
