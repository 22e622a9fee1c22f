import { items, type Member, text } from '../located.js';
import type { PropertyView } from '../property-view.js';
import type { TypeView } from '../view.js';
import { eachType, type Report } from './rule.js';
import { isRole } from './type-access.js';

/** Refuses `readable` that names no users, and at properties that have no readers to choose. */
export const readers = eachType((type, report) => {
  for (const property of type.properties) {
    const readable = property.node.members?.get('readable');
    if (readable === undefined) continue;
    judgeWords(readable, report);
    const why = whyMisplaced(type, property);
    if (why !== undefined) report('misplaced-key', readable.nameAt, why);
    else if (type.access.length === 0 && type.share === undefined) {
      const advice = `give ${type.name} rules that say who sees its objects`;
      const message = `"readable" goes with "access" or "share": ${advice}.`;
      report('readable-alone', readable.nameAt, message);
    }
  }
});

function judgeWords({ node }: Member, report: Report): void {
  for (const item of items(node)) {
    const word = text(item);
    if (word === undefined || word === 'owner' || isRole(word)) continue;
    const why = 'names no readers. Legal are owner and role:NAME';
    report('bad-access', item.at, `${JSON.stringify(word)} ${why}.`);
  }
}

/**
 * Returns where a type uses a property in a way that would tell others its values; undefined for
 * nowhere.
 */
function whereTold(type: TypeView, property: PropertyView): string | undefined {
  const isIt = (one: { readonly name: string } | undefined): boolean => one?.name === property.name;
  const { rules, uniques, shapes } = type;
  const conditions = [...rules.immutable, ...rules.required].flatMap(({ when }) => when);
  if (uniques.some(({ names }) => names.some(isIt))) return '"unique"';
  if (rules.transitions.some((one) => isIt(one.property))) return '"transitions"';
  if (conditions.some((one) => isIt(one.property))) return 'the condition of a rule';
  if (rules.required.some(({ properties }) => properties.some(isIt))) return '"requiredWhen"';
  if (isIt(shapes?.collapse?.by) || isIt(shapes?.tree?.by)) return '"query"';
  const open = type.properties.filter(({ computed, node }) => {
    const from = computed?.from.some(isIt) === true;
    return from && node.members?.get('readable') === undefined;
  });
  return open[0] === undefined ? undefined : `"${open[0].name}", which all may read`;
}

function whyMisplaced(type: TypeView, property: PropertyView): string | undefined {
  const { name, access, blobs } = property;
  if (access === 'internal' || access === 'secret')
    return `"${name}" is ${access}: no /get gives it.`;
  if (type.required.some((each) => each.name === name)) {
    const why = `a user who may not read it could create no ${type.name}`;
    return `"${name}" is required: ${why}. Give it a default.`;
  }
  if (blobs.length > 0) return `"${name}" holds blobs: all who see the object may use them.`;
  const told = whereTold(type, property);
  return told === undefined
    ? undefined
    : `"${name}" counts for ${told}: others would learn its values.`;
}
