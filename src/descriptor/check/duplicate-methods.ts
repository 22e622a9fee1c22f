import type { Location } from '../model.js';
import { STANDARD_METHODS } from '../standard-methods.js';
import type { CapabilityView } from '../view.js';
import { place, type Rule } from './rule.js';

interface Named {
  readonly name: string;
  readonly at: Location;
  readonly standard: boolean;
}

/** Refuses a second definition of a method, standard methods of types included. */
export const duplicateMethods: Rule = (views, report) => {
  const seen = new Map<string, Named>();
  // Standard methods first: where a declared one clashes, that is the line to change.
  const named = [...views.flatMap(standardMethods), ...views.flatMap(ownMethods)];
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

function standardMethods(view: CapabilityView): readonly Named[] {
  return view.types.flatMap(({ name, nameAt }) =>
    STANDARD_METHODS.map(({ verb }) => ({ name: `${name}/${verb}`, at: nameAt, standard: true })),
  );
}

function ownMethods(view: CapabilityView): readonly Named[] {
  return view.methods.map(({ name, nameAt }) => ({ name, at: nameAt, standard: false }));
}
