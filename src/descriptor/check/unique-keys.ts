import { member } from '../located.js';
import { isGiven } from '../model/access.js';
import type { PropertyView } from '../property-view.js';
import type { ListView, TypeView } from '../view.js';
import { whyNotIndexed, whyNotTogether } from './indexable.js';
import { eachType, listed, place, type Report, reportDoubles } from './rule.js';
import { findProperty } from './types.js';

/** Refuses lists under `unique` and `indexes` that name no property or that no index can hold. */
export const uniques = eachType((type, report) => {
  judgeLists(type, type.uniques, 'unique', report);
  judgeLists(type, type.indexes, 'indexes', report);
  warnOfCollisions(type, report);
});

/**
 * Warns if all properties of a unique list have a default: the server refuses the second create
 * without them.
 */
function warnOfCollisions(type: TypeView, report: Report): void {
  const byName = new Map(type.properties.map((property) => [property.name, property]));
  for (const { names, at } of type.uniques) {
    if (names.length === 0 || !names.every(({ name }) => takesDefault(byName.get(name)))) continue;
    const all = names.map(({ name }) => `"${name}"`).join(' and ');
    report(
      'unique-default',
      at,
      `${all} must be unique, and a create without ${names.length === 1 ? 'it' : 'them'} stores ` +
        'the default: the second one of an account is refused. List it under required, or make ' +
        "it nullable without a default (type: [..., 'null']): null is equal to nothing.",
      { severity: 'warning' },
    );
  }
}

/**
 * Returns whether a client may leave the property out and so stores a default other than null. A
 * constant is a default.
 */
function takesDefault(property: PropertyView | undefined): boolean {
  if (property === undefined || property.defaultNow || !isGiven(property)) return false;
  const { node, nullable, optional } = property;
  const constant = nullable || optional ? undefined : member(node, 'const');
  const given = member(node, 'default') ?? constant;
  return given !== undefined && given.value !== null;
}

/** Reports `nulls: equal` where no value can be null. */
function judgeNulls({ properties }: TypeView, { names, at }: ListView, report: Report): void {
  const known = properties.filter((one) => names.some(({ name }) => name === one.name));
  if (known.length === 0 || known.some((one) => one.nullable || one.optional)) return;
  const all = listed(known.map(({ name }) => `"${name}"`));
  const may = known.length === 1 ? 'may not be null' : 'may none of them be null';
  report('misplaced-key', at, `${all} ${may}: "nulls: equal" means nothing; write unique: true.`);
}

/** Reports lists and properties that come twice, unknown properties, and what no index can hold. */
function judgeLists(
  type: TypeView,
  lists: readonly ListView[],
  key: 'unique' | 'indexes',
  report: Report,
): void {
  const seen = new Map<string, ListView>();
  for (const list of lists) {
    const names = list.names.map(({ name }) => name);
    // The order of an index is part of it; what is unique together has none.
    const same = JSON.stringify(key === 'unique' ? [...names].sort() : names);
    const earlier = seen.get(same);
    if (earlier === undefined) seen.set(same, list);
    else
      report(
        'duplicate-entry',
        list.at,
        `${listed(names)} stands under "${key}" already (${place(earlier.at)}).`,
        { related: [earlier.at] },
      );
    if (list.nullsEqual) judgeNulls(type, list, report);
    const indexable: PropertyView[] = [];
    reportDoubles(list.names, report);
    for (const named of list.names) {
      const property = findProperty(type, named, report);
      const why = property === undefined ? undefined : whyNotIndexed(property);
      if (why !== undefined) report('unindexable', named.at, `${why}.`);
      else if (property !== undefined) indexable.push(property);
      if (property?.role === 'id')
        report('unindexable', named.at, '"id" is unique and indexed by itself; leave it out.');
    }
    const why = whyNotTogether(indexable);
    if (why !== undefined) report('unindexable', list.at, `${why}.`);
  }
}
