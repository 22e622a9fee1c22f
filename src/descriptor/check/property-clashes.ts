import { place, type Rule } from './rule.js';

/** Refuses two properties that differ by letter case alone: SQL has no letter case in columns. */
export const propertyClashes: Rule = (views, report) => {
  for (const { properties } of views.flatMap((view) => view.types)) {
    const seen = new Map<string, (typeof properties)[number]>();
    for (const property of properties) {
      const key = property.name.toLowerCase();
      const earlier = seen.get(key);
      if (earlier === undefined) seen.set(key, property);
      else
        report(
          'duplicate-property',
          property.nameAt,
          `"${property.name}" and "${earlier.name}" (${place(earlier.nameAt)}) differ by ` +
            'letter case alone; a database ignores the letter case of columns.',
          { related: [earlier.nameAt] },
        );
    }
  }
};
