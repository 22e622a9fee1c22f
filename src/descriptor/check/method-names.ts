import type { Rule } from './rule.js';

/** Refuses the name of a method that isn't of the form `Type/method`, as RFC 8620 has its own. */
export const methodNames: Rule = (views, report) => {
  for (const { name, nameAt } of views.flatMap((view) => view.methods)) {
    if (!/^[A-Z][A-Za-z0-9]{0,39}\/[a-z][A-Za-z0-9]{0,39}$/.test(name))
      report(
        'bad-method-name',
        nameAt,
        `no method can be named "${name}": it takes a PascalCase name, a slash and a ` +
          'camelCase one, for instance Invoice/send.',
      );
  }
};
