import type { DataTypeDefinition } from '../capability/definition.js';
import type { Registry } from '../methods/registry.js';
import { findReached, followersOf } from './reach.js';

/** Finds the types whose /set by its answer alone keeps a client's copy of their objects right. */

/** A type, and what follows from a /set of it. */
interface Scene {
  readonly type: DataTypeDefinition;
  readonly registry: Registry;
  /** By type: those whose objects may change, or go, when one of its own does. */
  readonly followers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The types that may change with this one, itself among them. */
  readonly reached: ReadonlySet<string>;
}

/**
 * The reasons for which an answer might leave something out. Where none holds, a /set writes only
 * those objects of the type that the client names, and the client can know all of their values.
 */
const DOUBTS = {
  /** There is no /set, or a function of the team's answers it. */
  isNotServed: ({ type, registry }: Scene) =>
    registry.methods.get(`${type.name}/set`)?.body !== 'set',

  /** `before` may have other objects written than the client has named. */
  hasReplacedArguments: ({ type, registry }: Scene) =>
    registry.typeHooks.get(type.name)?.methods?.['set']?.before !== undefined,

  /** `inTransaction` of any type that changes along may write anything. */
  hasWritingHook: ({ registry, reached }: Scene) =>
    [...reached].some((name) => registry.typeHooks.get(name)?.inTransaction !== undefined),

  /** A cascade, an aggregate or an `on` source leads back to the type, directly or by others. */
  changesOthers: ({ type, followers, reached }: Scene) =>
    [...reached].some((name) => followers.get(name)?.has(type.name) === true),

  /** A /set tells no answered properties: only a /get computes them. */
  hasAnsweredProperties: ({ type }: Scene) => (type.answered ?? []).length > 0,
} as const satisfies Readonly<Record<string, (scene: Scene) => boolean>>;

export type Doubt = keyof typeof DOUBTS;

/** Returns the names of the types whose /set tells all of its effects on objects of the type. */
export function listTellingTypes(registry: Registry): ReadonlySet<string> {
  const names = [...registry.dataTypes.keys()];
  const doubts = doubtsOf(registry);
  return new Set(names.filter((name) => doubts.get(name)?.length === 0));
}

/** Returns, by type, why its /set might not tell all. */
export function doubtsOf(registry: Registry): ReadonlyMap<string, readonly Doubt[]> {
  const followers = followersOf(registry);
  return new Map(
    Array.from(registry.dataTypes.values(), (type) => {
      const scene = { type, registry, followers, reached: findReached(type.name, followers) };
      const found = Object.entries(DOUBTS).filter(([, holds]) => holds(scene));
      return [type.name, found.map(([name]) => name as Doubt)];
    }),
  );
}
