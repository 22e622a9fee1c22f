import { CREATOR } from '../../capability/creator.js';
import { canonicalJson } from '../../protocol/canonical-json.js';
import { type AccessView, type AllowedView, ROLE as ROLE_WORD, roleOf } from '../access-view.js';
import { WHO, wordNames } from '../key-words.js';
import { text } from '../located.js';
import type { NameView } from '../name-view.js';
import type { TypeView } from '../view.js';
import { judgeAccessWhere } from './access-conditions.js';
import { judgeOperations } from './access-operations.js';
import { judgeCircles, judgeParent } from './access-parents.js';
import { isReadByOthers, whyInvisible } from './access-readers.js';
import { didYouMeanWord } from './did-you-mean.js';
import { oneOf, type Report, type Rule } from './rule.js';
import { findProperty, typesOf } from './types.js';

/** Refuses access rules that say nothing, or that the server can't follow as objects change. */
export const accessRules: Rule = (views, report) => {
  const types = typesOf(views);
  for (const type of views.flatMap((view) => view.types)) {
    const key = type.node.members?.get('access');
    if (key === undefined) continue;
    if (type.singleton) {
      const why = 'is a singleton, which all users of the account see: it takes no "access"';
      report('bad-singleton', key.nameAt, `${type.name} ${why}.`);
      continue;
    }
    for (const rule of type.access) {
      judgeSubject(type, rule, report);
      judgeParent(type, rule, types, report);
      judgeAccessWhere(type, rule.where, report);
      judgeOperations(type, rule, report);
    }
    judgeTogether(type, report);
  }
  judgeCircles(types, report);
};

const LEGAL = wordNames(WHO);
/** The words that need a property beside them. */
const WITH_OF: readonly string[] = ['property', 'parent'];
/** As `user roles` takes it. */
const ROLE = /^[^\s,\p{Cc}\p{Cs}]{1,255}$/u;

/** Returns whether a text is `role:NAME`. */
export function isRole(word: string): boolean {
  return word.startsWith(ROLE_WORD) && ROLE.test(word.slice(ROLE_WORD.length));
}

function judgeSubject(type: TypeView, rule: AccessView, report: Report): void {
  const { who, of } = rule;
  if (who === undefined) return;
  const role = roleOf(rule);
  if (role === undefined ? !(LEGAL as readonly string[]).includes(who.name) : !ROLE.test(role)) {
    report('bad-access', who.at, whyNoSubject(who, role));
    return;
  }
  const needs = WITH_OF.includes(who.name);
  if (needs && of === undefined)
    report('bad-access', who.at, `"${who.name}" needs "of": the property that it looks at.`);
  if (!needs && of !== undefined)
    report('bad-access', of.nameAt, `"of" goes with ${oneOf(WITH_OF)}, not with "${who.name}".`);
  if (who.name === 'property') judgePrincipal(type, rule, report);
  const own = type.properties.find(({ name }) => name === CREATOR);
  if (who.name === 'creator' && own !== undefined)
    report(
      'bad-access',
      own.nameAt,
      `"${CREATOR}" is where the server keeps the creator: rename it.`,
    );
}

function whyNoSubject({ name }: NameView, role: string | undefined): string {
  const given = JSON.stringify(name);
  return role === undefined
    ? `${given} names no users.${didYouMeanWord(name, LEGAL)} Legal are ${oneOf(LEGAL)}.`
    : `${given} names no role: it has 1 to 255 characters, without spaces and commas.`;
}

function judgePrincipal(type: TypeView, { of }: AccessView, report: Report): void {
  const name = text(of?.node);
  if (of === undefined || name === undefined) return;
  const property = findProperty(type, { name, at: of.node.at }, report);
  if (property === undefined || property.principal) return;
  const why = 'holds no ids of users: write principal: true beside its type';
  report('bad-access', of.node.at, `"${name}" ${why}.`);
}

/** Reports rules that should be one, and rules by which nobody sees an object. */
function judgeTogether(type: TypeView, report: Report): void {
  const { name, access, share } = type;
  const known = new Map<string, AccessView>();
  for (const rule of access) {
    const { who, of, allowed } = rule;
    // One rule names one right for an operation.
    const rights = [...new Set(allowed.flatMap(({ right }) => right?.name ?? []))].sort();
    const users = [who?.name ?? null, of?.node.value ?? null, rights];
    const key = canonicalJson([...users, whereOf(rule)]);
    const earlier = known.get(key);
    known.set(key, earlier ?? rule);
    if (earlier === undefined) continue;
    const message = 'another rule is about the same users and objects: make them one.';
    report('duplicate-entry', rule.at, message, { related: [earlier.at] });
  }
  judgeCreators(type, report);
  const [first] = access;
  const isRead = access.some(({ allowed }) => allowed.some(isReading));
  if (first === undefined || isRead || share !== undefined) return;
  const why = 'and who does not see an object can do nothing with it';
  report('bad-access', first.at, `no rule of ${name} says "read", ${why}.`);
}

/** Reports a rule by which all users create objects, where others than the owner would see none. */
function judgeCreators(type: TypeView, report: Report): void {
  const { access, share } = type;
  const isRead = share !== undefined || access.some(({ allowed }) => allowed.some(isReading));
  if (!isRead || isReadByOthers(type)) return;
  for (const { who, allowed } of access) {
    const create = allowed.find(({ operation }) => operation === 'create');
    if (who?.name !== 'everyone' || create === undefined) continue;
    report('bad-access', create.at, `${whyInvisible(type)}, or say "owner".`);
  }
}

function isReading({ operation }: AllowedView): boolean {
  return operation === 'read';
}

function whereOf({ where }: AccessView) {
  return where.map(({ property, path, values, isNot }) => [
    ...[property.name, [...path], isNot],
    values.map(({ value }) => value),
  ]);
}
