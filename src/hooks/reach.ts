import { isAggregate } from '../capability/aggregates.js';
import { recordedReferencesOf } from '../capability/named-references.js';
import type { Registry } from '../methods/registry.js';

/**
 * Returns the types whose writes may run a hook that waits. It may be their own check or
 * inTransaction, or an `after` that adds to their answers. Or it is a hook of a type that changes
 * with them: by references, aggregates or `on` sources. Such a write needs a transaction that it
 * shares with nobody.
 */
export function exclusiveTypes(registry: Registry): ReadonlySet<string> {
  const { dataTypes, typeHooks } = registry;
  const sources = sourceTypes(registry);
  const followers = followersOf(registry);
  const waits = (name: string): boolean =>
    sources.has(name) || typeHooks.get(name)?.inTransaction !== undefined;
  const exclusive = new Set<string>();
  for (const name of dataTypes.keys()) {
    const { check, methods } = typeHooks.get(name) ?? {};
    const own = check ?? methods?.['set']?.after ?? methods?.['copy']?.after;
    if (own !== undefined || [...findReached(name, followers)].some(waits)) exclusive.add(name);
  }
  return exclusive;
}

/** Returns types whose own objects have hooks, or those that change with them. */
export function concernedTypes(registry: Registry): ReadonlySet<string> {
  const followers = followersOf(registry);
  const isHooked = (name: string): boolean => registry.typeHooks.has(name);
  const names = [...registry.dataTypes.keys()];
  return new Set(names.filter((name) => [...findReached(name, followers)].some(isHooked)));
}

/** Returns types whose changes others' computed properties follow. */
export function sourceTypes({ dataTypes }: Registry): ReadonlySet<string> {
  return new Set(
    [...dataTypes.values()].flatMap(({ properties }) =>
      properties.flatMap(({ computed }) =>
        computed?.kind === 'on' ? computed.sources.map(({ type }) => type) : [],
      ),
    ),
  );
}

/** By type: those whose objects may change, or go, when one of its own does. */
export function followersOf({ dataTypes }: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const followers = new Map<string, Set<string>>();
  const add = (source: string, follower: string): void => {
    followers.set(source, (followers.get(source) ?? new Set()).add(follower));
  };
  for (const { name, properties } of dataTypes.values()) {
    for (const { type, onDestroy } of recordedReferencesOf(properties))
      if (onDestroy !== 'restrict') add(type, name);
    for (const { computed } of properties) {
      if (isAggregate(computed)) add(computed.type, name);
      if (computed?.kind === 'on') for (const { type } of computed.sources) add(type, name);
    }
  }
  return followers;
}

/** Returns the types that may change when one does, itself among them. */
export function findReached(
  name: string,
  followers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const reached = new Set([name]);
  // A Set goes on over what is added while it is walked.
  for (const each of reached) for (const next of followers.get(each) ?? []) reached.add(next);
  return reached;
}
