import { type Located, member } from '../located.js';
import type { Location } from '../model.js';
import { type NameView, nameOf } from '../name-view.js';
import { place, type Report, type Rule } from './rule.js';

/** A type or a property, which may have `renamedFrom`. */
interface Renamed {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
}

/** Refuses an old name that something still has, or that two claim. */
export const renames: Rule = (views, report) => {
  const types = views.flatMap((view) => view.types);
  judgeRenames(types, 'type', report);
  for (const { properties } of types) judgeRenames(properties, 'property', report);
};

/** Reports old names that are in use, and those that two claim. */
function judgeRenames(all: readonly Renamed[], what: string, report: Report): void {
  const current = new Map(all.map((each) => [each.name, each]));
  const seen = new Map<string, NameView>();
  for (const { node } of all) {
    const old = nameOf(member(node, 'renamedFrom'));
    if (old === undefined) continue;
    const there = current.get(old.name);
    const earlier = seen.get(old.name);
    if (there !== undefined)
      report(
        'bad-rename',
        old.at,
        `there is a ${what} "${old.name}" (${place(there.nameAt)}), so nothing was renamed from ` +
          'it: drop renamedFrom, or the one of that name.',
        { related: [there.nameAt] },
      );
    else if (earlier !== undefined)
      report(
        'bad-rename',
        old.at,
        `another ${what} is renamed from "${old.name}" (${place(earlier.at)}): the stored data ` +
          'can go to one of them only.',
        { related: [earlier.at] },
      );
    seen.set(old.name, old);
  }
}
