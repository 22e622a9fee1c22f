import type { Location } from '../model.js';
import { STANDARD_METHODS } from '../standard-methods.js';
import type { CapabilityView } from '../view.js';
import { place, type Rule } from './rule.js';

/** A method by its whole name, such as `Todo/get`. */
interface Named {
  readonly name: string;
  readonly at: Location;
  readonly standard: boolean;
}

/** Refuses a second definition of a method, standard methods of types included. */
export const duplicateMethods: Rule = (views, report) => {
  const seen = new Map<string, Named>();
  // Standard methods first: where a declared one clashes, that is the line to change.
  const named = [...views.flatMap(listStandardMethods), ...views.flatMap(listOwnMethods)];
  for (const method of named) {
    // Emitted names leave out the slash, and file systems letter case.
    const key = method.name.replace('/', '').toLowerCase();
    const earlier = seen.get(key);
    if (earlier === undefined) {
      seen.set(key, method);
      continue;
    }
    if (method.standard) continue;
    const why = earlier.standard ? ', a standard method of its type' : '';
    report(
      'duplicate-method',
      method.at,
      `the method ${method.name} clashes with ${earlier.name}${why} (${place(earlier.at)}); ` +
        'rename it.',
      { related: [earlier.at] },
    );
  }
};

/** Returns the standard methods of all types, even of those that leave some out. */
function listStandardMethods(view: CapabilityView): readonly Named[] {
  return view.types.flatMap(({ name, nameAt }) =>
    STANDARD_METHODS.map(({ verb }) => ({ name: `${name}/${verb}`, at: nameAt, standard: true })),
  );
}

/** Returns the methods that a descriptor declares beside the standard ones. */
function listOwnMethods(view: CapabilityView): readonly Named[] {
  return view.methods.map(({ name, nameAt }) => ({ name, at: nameAt, standard: false }));
}
