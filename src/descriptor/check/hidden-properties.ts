import { member } from '../located.js';
import type { PropertyView } from '../property-view.js';
import type { Report, Rule } from './rule.js';

/** Refuses filters and sorts by what clients never see, and secrets that can't be kept as such. */
export const hiddenProperties: Rule = (views, report) => {
  for (const type of views.flatMap((view) => view.types)) {
    for (const property of type.properties) judgeSecret(property, report);
    const read = [
      ...type.filters.map((filter) => ({ ...filter, at: filter.propertyAt, what: 'filter' })),
      ...type.filters.flatMap((filter) =>
        filter.texts.slice(1).map((each) => ({ ...each, what: 'filter' })),
      ),
      ...type.sorts.map((sort) => ({ ...sort, what: 'sort' })),
    ];
    for (const { property, at, what } of read) {
      if (property?.access === 'internal' || property?.access === 'secret')
        report(
          'hidden-property',
          at,
          `"${property.name}" is ${property.access}: a ${what} would tell clients what they ` +
            'may not see.',
        );
    }
  }
};

/**
 * Reports a secret that is no text, the id of a blob, unique, or has a default, and `stored` beside
 * another access.
 */
function judgeSecret({ name, node, access, kind, blob }: PropertyView, report: Report): void {
  const stored = node.members?.get('stored');
  if (stored !== undefined && access !== 'secret')
    report(
      'misplaced-key',
      stored.nameAt,
      `"stored" says how a secret is kept; "${name}" is ${access}.`,
    );
  if (access !== 'secret') return;
  const complain = (key: string, why: string): void =>
    report('bad-secret', member(node, key)?.at ?? node.at, why);
  if (kind !== undefined && kind !== 'string')
    complain('type', `"${name}" is secret, so it is text: type: string.`);
  if (blob)
    complain(
      'blob',
      `"${name}" is secret, so it can't be the id of a blob: the server must read that id.`,
    );
  if (member(node, 'unique')?.value === true)
    complain(
      'unique',
      `"${name}" is secret, so it can't be unique: the server can't compare the stored values.`,
    );
  const given = member(node, 'default');
  if (given !== undefined && given.value !== null)
    complain('default', `"${name}" is secret: a default would be one that everybody knows.`);
}
