import { place, type Rule } from './rule.js';

/**
 * Refuses a second type of one name, in any letter case: all capabilities share one database and
 * one name space of methods.
 */
export const duplicateTypes: Rule = (views, report) => {
  const types = views.flatMap((view) => view.types);
  const seen = new Map<string, (typeof types)[number]>();
  for (const type of types) {
    const earlier = seen.get(type.name.toLowerCase());
    if (earlier === undefined) {
      seen.set(type.name.toLowerCase(), type);
      continue;
    }
    const what =
      earlier.name === type.name
        ? `the type ${type.name} is declared twice`
        : `the types ${type.name} and ${earlier.name} differ by letter case alone`;
    report(
      'duplicate-type',
      type.nameAt,
      `${what}: here and in ${place(earlier.nameAt)}; rename one.`,
      { related: [earlier.nameAt] },
    );
  }
};
