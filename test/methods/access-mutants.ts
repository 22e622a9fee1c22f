import type { Mutant } from '../support/mutants.js';

/** The test that follows users through random changes, from each of their old states. */
const RANDOM = 'test/methods/viewers-random.test.ts';
const WRITES = 'test/methods/viewers-set.test.ts';
const TREES = 'test/methods/viewers-tree.test.ts';
const HIDDEN = 'test/methods/viewers-hidden.test.ts';

const RULES = 'src/access/scopes-by-rule.ts';
const WALK = 'src/access/view-changes.ts';
const JUDGE = 'src/methods/set/judge-access.ts';

/** Rules of access and of its synchronisation, and edits of the source that take them out. */
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  everyone: {
    rule: 'a rule for everyone shows objects',
    ...{ file: RULES, test: RANDOM },
    text: 'return [EVERYONE];',
    edited: 'return [];',
  },
  role: {
    rule: 'a rule for a role shows objects',
    ...{ file: RULES, test: RANDOM },
    text: 'return [roleScope(who.role)];',
    edited: 'return [];',
  },
  property: {
    rule: 'a rule about a property shows objects to the users whom it names',
    ...{ file: RULES, test: RANDOM },
    text: 'return idsIn(object[who.property]).map(principalScope);',
    edited: 'return [];',
  },
  share: {
    rule: 'a share shows its object',
    ...{ file: RULES, test: RANDOM },
    text: 'return [shareScope(sharedObject(type, object.id), who.right)];',
    edited: 'return [];',
  },
  parent: {
    rule: 'an object is seen by those who see its parent',
    ...{ file: RULES, test: RANDOM },
    text: 'if (right === undefined) return readers;',
    edited: 'if (right === undefined) return [];',
  },
  parentRight: {
    rule: 'a right at a parent holds for what follows it',
    ...{ file: RULES, test: RANDOM },
    text: 'const held = shares.filter((share) => isOfRight(share, right));',
    edited: 'const held = shares.filter((share) => isOfRight(share, right) && id === "");',
  },
  where: {
    rule: 'a rule holds where its conditions do',
    ...{ file: RULES, test: RANDOM },
    text: 'if (!meetsConditions(rule.where ?? [], object)) continue;',
    edited: '',
  },
  view: {
    rule: 'a user sees what it has a scope of',
    ...{ file: 'src/store/sql/visible.ts', test: RANDOM },
    text: `const isHeld = context.dialect.isAmong(sql\`"_s"."scope"\`, heldScopes(context, view));`,
    edited: 'const isHeld = sql`TRUE`; void heldScopes; void view;',
  },
  gone: {
    rule: 'a scope that an object had shows it no more',
    ...{ file: 'src/store/sql/visible.ts', test: RANDOM },
    text: ' AND NOT "_s"."gone"',
    edited: '',
  },
  before: {
    rule: 'a change tells by the scopes of before whether the object was seen',
    ...{ file: WALK, test: RANDOM },
    text: `const before = kind === 'created' ? [] : (scopesBefore ?? scopes);`,
    edited: `const before = kind === 'created' ? [] : scopes;`,
  },
  created: {
    rule: 'an object that is created was seen by nobody before',
    ...{ file: WALK, test: RANDOM },
    text: `const before = kind === 'created' ? [] : (scopesBefore ?? scopes);`,
    edited: 'const before = scopesBefore ?? scopes;',
  },
  neither: {
    rule: 'an object that the user saw neither before nor after is not told',
    ...{ file: WALK, test: RANDOM },
    text: `return isVisible ? 'created' : null;`,
    edited: `return isVisible ? 'created' : 'destroyed';`,
  },
  candidates: {
    rule: 'a share tells of the objects that it shows',
    ...{ file: WALK, test: RANDOM },
    text: '[...history.findObjects(number, scopes)]',
    edited: '[...history.findObjects(number, [])]',
  },
  parts: {
    rule: 'a share that is told in part goes on behind that part',
    ...{ file: WALK, test: RANDOM },
    text: 'if (from !== undefined && object.id <= from) {',
    edited: `if (from !== undefined && object.id < '') {`,
  },
  rights: {
    rule: 'a right that changes is a change of its object',
    ...{ file: WALK, test: RANDOM },
    text: 'const isTold = history.hasRights === true || !seen.isVisible;',
    edited: 'const isTold = !seen.isVisible;',
  },
  walkBack: {
    rule: 'the scopes of a user at an old state are those of now without the shares since',
    ...{ file: 'src/access/read-view.ts', test: RANDOM },
    text: 'for (const change of record.changes.toReversed()) held.revert(change);',
    edited: '',
  },
  past: {
    rule: 'a share tells of objects by the scopes that they had then',
    ...{ file: 'src/access/past-scopes.ts', test: RANDOM },
    text: 'const own = next === undefined ? (this.#today.get(id) ?? []) : next.before;',
    edited: 'const own = this.#today.get(id) ?? next?.before ?? [];',
  },
  ways: {
    rule: 'a scope that a user has in two ways stays when one ends',
    ...{ file: 'src/access/held-scopes.ts', test: 'test/access/view-changes.test.ts' },
    text: 'if (after <= 0) this.#ways.delete(scope);',
    edited: 'if (after < before) this.#ways.delete(scope);',
  },
  others: {
    rule: 'a value of another user is not told',
    ...{ file: 'src/access/records-of-view.ts', test: RANDOM },
    text: 'record.scopes.some((scope) => own.has(scope))',
    edited: 'record.scopes.length < 1e6',
  },
  tokens: {
    rule: 'a value of the user at an object that another token alone sees is not told',
    ...{ file: 'src/capability/own-scopes.ts', test: 'test/methods/own-values-of-tokens.test.ts' },
    text: 'return all.filter(isOfTokens).map((scope) => ownValueScope(userId, scope));',
    edited: 'return [principalScope(userId), ...all.slice(0, 0)];',
  },
  accessRecord: {
    rule: 'a share leaves a record in each type that it shows objects of',
    ...{ file: 'src/methods/work/grant-upkeep.ts', test: RANDOM },
    text: 'await transaction.recordAccess(type, changes);',
    edited: 'void changes;',
  },
  followers: {
    rule: 'objects that follow another one get its scopes when it moves',
    ...{ file: 'src/methods/work/unit.ts', test: RANDOM },
    text: 'if (followed.length > 0) await this.#moveFollowers(followed);',
    edited: '',
  },
  hidden: {
    rule: 'an object that the user does not see is notFound',
    ...{ file: JUDGE, test: WRITES },
    text: `return objects.filter((object) => this.#may('read', object));`,
    edited: 'return objects;',
  },
  rightBefore: {
    rule: 'an update needs the right at the object as it was',
    ...{ file: JUDGE, test: WRITES },
    text: 'if (mayEnd && this.#may(right, before)) continue;',
    edited: 'if (mayEnd) continue;',
  },
  leave: {
    rule: 'an update that hides the object needs the right to leave it',
    ...{ file: JUDGE, test: WRITES },
    text: `const mayLeave = this.#may('leave', before);`,
    edited: 'const mayLeave = true;',
  },
  createRight: {
    rule: 'a create needs a right',
    ...{ file: JUDGE, test: WRITES },
    text: `if (!this.#may('create', after, this.#after))
      changes.refuse(`,
    edited: `if (after.id === '')
      changes.refuse(`,
  },
  createSeen: {
    rule: 'a user sees what it creates',
    ...{ file: JUDGE, test: WRITES },
    text: `else if (!this.#may('read', after, this.#after)) changes.refuse(create, OUT_OF_REACH);`,
    edited: '',
  },
  destroyRight: {
    rule: 'a destroy needs a right',
    ...{ file: JUDGE, test: WRITES },
    text: `return this.#may('destroy', object) ? null : this.#forbidden('destroy', 'destroy it');`,
    edited: 'return object.id === "" ? this.#forbidden("destroy", "destroy it") : null;',
  },
  newParents: {
    rule: 'a move to another parent needs the right to create there',
    ...{ file: JUDGE, test: 'test/access/share.test.ts' },
    text: 'return idsIn(after[name]).some((id) => !known.has(id));',
    edited: 'return known.has("");',
  },
  lasting: {
    rule: 'a destroy needs the right at all that goes with the object',
    ...{ file: JUDGE, test: TREES },
    text: `return objects.filter((object) => !this.#may('destroy', object));`,
    edited: 'return objects.slice(0, 0);',
  },
  hideIds: {
    rule: 'an error names no object that the user does not see',
    ...{ file: 'src/methods/set/visible-ids.ts', test: HIDDEN },
    text: 'if (!visible.has(id)) hidden.add(id);',
    edited: 'if (id === "") hidden.add(id);',
  },
  roles: {
    rule: 'a state of a user with other roles leads nowhere',
    ...{ file: 'src/access/views.ts', test: WRITES },
    text: 'const text = JSON.stringify([userId, rules, ...[...scopes].sort()]);',
    edited: 'const text = JSON.stringify([userId, rules, scopes.length > 1e6]);',
  },
};
