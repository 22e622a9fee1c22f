import type { Location } from '../model.js';
import { METHOD_NAMES, SINGLETON_METHODS } from '../standard-methods.js';
import type { CapabilityView, TypeView } from '../view.js';
import { listed, place, type Report, type Rule } from './rule.js';

/** A method by its whole name, such as `Todo/get`. */
interface Named {
  readonly name: string;
  readonly at: Location;
  readonly owner: Owner;
}

/** The owner of a method: the engine, a type (the standard methods), or a team's descriptor. */
type Owner = 'engine' | 'type' | 'descriptor';

/** The order in which methods get their names: of two that clash, a team can change the later. */
const RANKS: Readonly<Record<Owner, number>> = { engine: 0, type: 1, descriptor: 2 };

/** Words of a message for the owner of the earlier method. */
const OWNERS: Readonly<Record<Owner, string>> = {
  engine: ', which the engine has of its own',
  type: ', a standard method of its type',
  descriptor: '',
};

/** The ways out of a clash with the earlier method. */
const CURES: Readonly<Record<Owner, string>> = {
  engine: 'rename it',
  type: 'rename it, or leave the standard one out of `standardMethods`',
  descriptor: 'rename it',
};

/**
 * Refuses a second definition of a method, standard methods of types included. A type may declare
 * one that it leaves out.
 */
export const duplicateMethods: Rule = (views, report) => {
  const seen = new Map<string, Named>();
  const named = [...views.flatMap(listStandardMethods), ...views.flatMap(listOwnMethods)];
  for (const method of named.sort((a, b) => RANKS[a.owner] - RANKS[b.owner])) {
    const earlier = seen.get(keyOf(method.name));
    if (earlier === undefined) seen.set(keyOf(method.name), method);
    else if (method.owner !== 'type') reportMethod(method, earlier, report);
  }
  for (const { name, nameAt } of views.flatMap(({ types }) => types)) {
    const clashes = METHOD_NAMES.flatMap((verb) => seen.get(keyOf(`${name}/${verb}`)) ?? []);
    const ofEngine = clashes.filter(({ owner }) => owner === 'engine');
    if (ofEngine.length > 0) reportType(name, nameAt, ofEngine, report);
  }
};

/** Returns the name as it is told from others: emitted names leave out the slash. */
function keyOf(name: string): string {
  // File systems may not tell letter case.
  return name.replace('/', '').toLowerCase();
}

/** Reports a declared method whose name another one has, with the place of the other. */
function reportMethod({ name, at }: Named, earlier: Named, report: Report): void {
  report(
    'duplicate-method',
    at,
    `the method ${name} clashes with ${earlier.name}${OWNERS[earlier.owner]} ` +
      `(${place(earlier.at)}); ${CURES[earlier.owner]}.`,
    { related: [earlier.at] },
  );
}

/** Reports a type once, however many of its standard methods the engine has of its own. */
function reportType(name: string, at: Location, clashes: readonly Named[], report: Report): void {
  const methods = clashes.map((clash) => clash.name);
  report(
    'duplicate-method',
    at,
    `no type can be named ${name}: the engine has ${listed(methods)} of its own. Rename the ` +
      'type; leaving these methods out by standardMethods is not enough.',
  );
}

/** Returns the standard methods of all types. */
function listStandardMethods(view: CapabilityView): readonly Named[] {
  return view.types.flatMap((type) =>
    verbsOf(type).map((verb) => ({
      name: `${type.name}/${verb}`,
      at: type.nameAt,
      owner: 'type' as const,
    })),
  );
}

/** Returns the standard methods that a type has. */
function verbsOf({ standardMethods, singleton }: TypeView): readonly string[] {
  if (standardMethods !== undefined) return standardMethods.map(({ name }) => name);
  return singleton ? SINGLETON_METHODS : METHOD_NAMES;
}

/** Returns the methods that a descriptor declares beside the standard ones. */
function listOwnMethods({ methods, isEngines }: CapabilityView): readonly Named[] {
  const owner = isEngines ? 'engine' : 'descriptor';
  return methods.map(({ name, nameAt }) => ({ name, at: nameAt, owner }));
}
