import type { AccessRule, AccessSubject } from '../../../src/capability/access-rules.js';
import { CREATOR } from '../../../src/capability/creator.js';
import { isShown } from '../../../src/descriptor/model/access.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import { code, list } from './reference/markdown.js';
import { whenWords } from './rule-words.js';

/** Access rules in words: for the page of a type, and for changes from one model to another. */

/** Returns a line of Markdown for each access rule of a type. */
export function describeAccess(type: ModelType): readonly string[] {
  const shown = new Set(type.properties.filter(isShown).map(({ name }) => name));
  return (type.access ?? []).map((rule) => {
    const where = rule.where ?? [];
    const isKnown = where.every(({ property }) => shown.has(property));
    const some = isKnown ? `, where ${whenWords(where)}` : ', for some objects';
    const who = subjectWords(rule.who, (name) => (shown.has(name) ? code(name) : 'a property'));
    return `${upperFirst(who)}${where.length === 0 ? '' : some}: ${operationsOf(rule, code)}`;
  });
}

/** Returns the users of a rule. `write`: gives the name of a property its form. */
export function subjectWords(who: AccessSubject, write: (name: string) => string): string {
  switch (who.kind) {
    case 'owner':
      return 'users who may write in all of the account';
    case 'everyone':
      return 'all users who reach the account';
    case 'role':
      return `users with the role ${code(who.role)}`;
    case 'property':
      return who.property === CREATOR
        ? 'the user who created the object'
        : `users whom ${write(who.property)} names`;
    case 'share':
      return `users with the right ${code(who.right)}`;
    case 'parent':
      return who.right === undefined
        ? `users who see the ${code(who.type)} that ${write(who.reference)} leads to`
        : `users with the right ${code(who.right)} at the ${code(who.type)} that ` +
            `${write(who.reference)} leads to`;
  }
}

const VERBS = Object.freeze({
  read: 'see it',
  create: 'create it',
  update: 'change it',
  undeclared: 'change what the type does not declare',
  destroy: 'destroy it',
  share: 'share it with others',
  leave: 'change it so that they no longer see it',
});

function operationsOf(rule: AccessRule, write: (name: string) => string): string {
  const operations = Object.keys(VERBS) as (keyof typeof VERBS)[];
  const words = operations.flatMap((operation) => {
    const given = rule[operation];
    if (given === undefined) return [];
    return Array.isArray(given) ? `change ${list(given.map(write))}` : VERBS[operation];
  });
  return list(words);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
