import type { Normalization } from '../../text/index.js';
import { normalForm } from '../../text/index.js';
import { BOUNDS } from '../bounds.js';
import { NORMALIZE, wordNames } from '../key-words.js';
import { items, type Located, member, text } from '../located.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/**
 * Refuses values of an enum that no normalised text can be, and `normalize` of texts that are too
 * long to be normalised at once. Arguments and responses are never normalised.
 */
export const normalForms: Rule = (views, report) => {
  for (const { node, label, use } of views.flatMap(schemasOf)) {
    const normalize = member(node, 'normalize');
    if (normalize === undefined) continue;
    if (use !== 'property')
      report(
        'misplaced-key',
        normalize.at,
        `"normalize" changes what is stored; "${label}" belongs to the arguments or response of ` +
          'a method.',
      );
    const changes = readChanges(normalize);
    for (const { value, at } of member(node, 'enum')?.items ?? []) {
      if (typeof value !== 'string') continue;
      const normal = normalForm(value, changes);
      if (normal === value) continue;
      const [is, becomes] = [JSON.stringify(value), JSON.stringify(normal)];
      report('bad-enum-value', at, `no "${label}" can be ${is}: normalize makes it ${becomes}.`);
    }
    const length = member(node, 'maxLength');
    if (typeof length?.value === 'number' && length.value > BOUNDS.stringLength)
      report(
        'out-of-range',
        length.at,
        `a text that is normalised has at most ${BOUNDS.stringLength} code points.`,
      );
  }
};

/** Returns the changes that there are; the structure rule tells of other words. */
export function readChanges(normalize: Located): readonly Normalization[] {
  const known = wordNames(NORMALIZE);
  return known.filter((name) => items(normalize).some((item) => text(item) === name));
}
