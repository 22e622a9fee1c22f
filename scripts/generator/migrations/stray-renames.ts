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
import { predecessorOf, releasedTypes, tableBefore } from './lineage.js';

/** The names of types and properties in all releases. */
type PastTypes = Pick<History, 'tablesByTypeName' | 'firstTypeNames' | 'properties'>;

export interface StrayRenames {
  readonly problems: readonly Problem[];
  /** The model without the parts that the slip makes look removed. */
  readonly model: Model;
}

/**
 * Reports a `renamedFrom` of a new type or property that names nothing of the last release. If the
 * last release already has the present name, `renamedFrom` has done its work and may stay. `past`
 * tells that from a slip.
 */
export function strayRenames(
  snapshot: Snapshot,
  model: Model,
  past: PastTypes | undefined,
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
      const isThere = tables.has(type.table);
      // Another message tells of a type that is given up only now.
      const isStray = (from: string): boolean =>
        !isThere ||
        (tableBefore(from, snapshot) === undefined && isSlipOfType(type, from, model, past));
      if (renamedFrom !== undefined && isStray(renamedFrom)) {
        const what = `type ${name}`;
        const meant = nearest(renamedFrom, names);
        if (meant !== undefined) drops.push({ name: meant, at });
        problems.push(
          isThere
            ? neverThere(what, type, renamedFrom, past?.tablesByTypeName.keys())
            : stray(what, type, renamedFrom, names),
        );
      }
      if (!isThere) return type;
      return withoutStray(type, snapshot, past?.properties.get(type.table), problems);
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
        ? neverThere(what, property, renamedFrom, past?.all)
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

/**
 * Returns the same of a released type. One of the first release may be older than the migrations.
 */
function isSlipOfType(
  { name, table }: ModelType,
  renamedFrom: string,
  model: Model,
  past: PastTypes | undefined,
): boolean {
  if (past === undefined || past.tablesByTypeName.get(renamedFrom)?.has(table) === true)
    return false;
  if (!past.firstTypeNames.has(name)) return true;
  return (
    nearest(renamedFrom, unclaimed([...past.tablesByTypeName.keys()], typesIn(model))) !== undefined
  );
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

/** `names`: those of the releases. */
function neverThere(
  what: string,
  { at, name }: Pick<ModelType, 'at' | 'name'>,
  renamedFrom: string,
  names: Iterable<string> = [],
): Problem {
  const others = [...names].filter((one) => one !== name && one !== renamedFrom);
  return {
    at,
    code: 'bad-rename',
    message:
      `the ${what} has renamedFrom: ${renamedFrom}, but no release called it ${renamedFrom}.` +
      `${didYouMean(renamedFrom, others)} The last release has ${name} already: ` +
      'remove renamedFrom if nothing was renamed.',
  };
}
