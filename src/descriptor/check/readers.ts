import { items, type Member, text } from '../located.js';
import type { TypeView } from '../view.js';
import { eachType, type Report } from './rule.js';
import { isRole } from './type-access.js';

/** Refuses `readable` that names no users, and at properties that have no readers to choose. */
export const readers = eachType((type, report) => {
  for (const { name, access, node } of type.properties) {
    const readable = node.members?.get('readable');
    if (readable === undefined) continue;
    judgeWords(readable, report);
    const why = whyMisplaced(type, name, access);
    if (why !== undefined) report('misplaced-key', readable.nameAt, why);
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

function whyMisplaced(type: TypeView, name: string, access: string): string | undefined {
  if (access === 'internal' || access === 'secret')
    return `"${name}" is ${access}: no /get gives it.`;
  if (type.required.some((each) => each.name === name)) {
    const why = `a user who may not read it could create no ${type.name}`;
    return `"${name}" is required: ${why}. Give it a default.`;
  }
  if (type.access.length > 0) return undefined;
  return `"readable" goes with "access": give ${type.name} rules that say who sees its objects.`;
}
