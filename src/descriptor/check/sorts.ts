import { didYouMean } from './did-you-mean.js';
import { whyNotIndexed } from './indexable.js';
import { listed, type Rule } from './rule.js';
import { namesOf } from './types.js';

/** Refuses sorts by unknown properties, by lists and objects, and by one property twice. */
export const sorts: Rule = (views, report) => {
  for (const type of views.flatMap((view) => view.types)) {
    const names = namesOf(type);
    const seen = new Set<string>();
    for (const { propertyName, at, property, indexed } of type.sorts) {
      if (property === undefined)
        report(
          'unknown-property',
          at,
          `"${propertyName}" is no property of ` +
            `${type.name}.${didYouMean(propertyName, names)} Declared: ${listed(names)}.`,
        );
      else if (property.kind === 'json')
        report(
          'unsortable',
          at,
          `"${propertyName}" is a list or an object, which has no order: sort by strings, ` +
            'numbers, booleans and dates.',
        );
      else if (indexed && whyNotIndexed(property) !== undefined)
        report('unindexable', at, `${whyNotIndexed(property)}.`);
      if (seen.has(propertyName))
        report('duplicate-entry', at, `"${propertyName}" is listed twice.`);
      seen.add(propertyName);
    }
  }
};
