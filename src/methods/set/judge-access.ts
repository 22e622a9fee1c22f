import type { HeldScopes } from '../../access/held-scopes.js';
import type { Inheritance } from '../../access/inheritance.js';
import { type Rights, rightsHeld } from '../../access/rights.js';
import { idsIn, type Operation, rulesFor, scopesFor } from '../../access/scopes-by-rule.js';
import {
  type AccessRule,
  type AccessSubject,
  parentRulesOf,
} from '../../capability/access-rules.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { ScopesOfObject } from '../../capability/own-scopes.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import { quoted } from '../issues.js';
import { indexOf } from '../type-index.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';

/**
 * Judges by the access rules of a type what a user may do with its objects. An object that the user
 * doesn't see is not there. For one that the user sees, a right that lacks is `forbidden`.
 */
export class AccessJudge {
  readonly #type: DataTypeDefinition;
  readonly #rules: readonly AccessRule[];
  readonly #held: HeldScopes;
  /** The objects that others follow, before the call. */
  readonly #before: Inheritance;
  /** The same with the proposed objects of the call. */
  #after: Inheritance;

  /** `inheritance`: knows the objects that those of the type follow. */
  constructor(type: DataTypeDefinition, held: HeldScopes, inheritance: Inheritance) {
    this.#type = type;
    this.#rules = type.access ?? WHOLE_ACCOUNT;
    this.#held = held;
    this.#before = inheritance;
    this.#after = inheritance;
  }

  /** Returns those of the objects that the user sees. */
  async visible(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    await this.#before.load(this.#type, objects);
    return objects.filter((object) => this.#may('read', object));
  }

  /** Returns the scopes by which an object is seen that `visible` has returned. */
  readersOf(object: StoredObject): ScopesOfObject {
    const all = this.#scopesFor('read', object);
    return { all, held: all.filter((scope) => this.#held.meets([scope])) };
  }

  /** Returns those of the objects that the user may not destroy. */
  async lasting(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    await this.#before.load(this.#type, objects);
    return objects.filter((object) => !this.#may('destroy', object));
  }

  /** Returns the user's rights at objects of a shared type, by their ids. */
  async rightsAt(objects: readonly StoredObject[]): Promise<ReadonlyMap<string, Rights>> {
    const type = this.#type;
    await this.#before.load(type, objects);
    return new Map(
      objects.map((object) => [object.id, rightsHeld(type, object, this.#held, this.#before)]),
    );
  }

  /** Returns why the user can't change with whom an object is shared; null where it can. */
  refusalOfShare(object: StoredObject, ancestors = this.#before): SetError | null {
    const { shareWith } = indexOf(this.#type).roles;
    if (shareWith === undefined) return null;
    if (this.#may('share', object, ancestors)) return null;
    return this.#forbidden('share', `change ${quoted(shareWith.name)}`);
  }

  /** Returns why the user can't destroy an object that it sees; null where it can. */
  refusalOfDestroy(object: StoredObject): SetError | null {
    return this.#may('destroy', object) ? null : this.#forbidden('destroy', 'destroy it');
  }

  /**
   * Refuses creates and updates that the user has no right to; true where one was refused. `after`:
   * the objects that others follow, with the proposed ones of the call.
   */
  async judge(changes: ProposedChanges, after: Inheritance): Promise<boolean> {
    const { rows, refusals } = changes;
    const proposed = [...rows.values()];
    const type = this.#type;
    this.#after = after;
    await this.#before.load(
      type,
      proposed.flatMap(({ before }) => before ?? []),
    );
    await this.#after.load(type, proposed.map(afterOf));
    for (const row of proposed) {
      if (row.before === null) this.#judgeCreate(changes, row);
      else this.#judgeUpdate(changes, row, row.before);
    }
    return changes.refusals > refusals;
  }

  /** The object is judged as the call leaves it, with the updates of the call. */
  #judgeCreate(changes: ProposedChanges, { create, after }: ProposedRow): void {
    if (create === null) return;
    const { shareWith } = changes.index.roles;
    const isShared = shareWith !== undefined && (after[shareWith.name] ?? null) !== null;
    const refused = isShared ? this.refusalOfShare(after, this.#after) : null;
    if (!this.#may('create', after, this.#after))
      changes.refuse(create, this.#forbidden('create', 'create such an object'));
    else if (refused !== null) changes.refuse(create, refused);
    else if (!this.#may('read', after, this.#after)) changes.refuse(create, OUT_OF_REACH);
  }

  /**
   * A change needs the right to the object as it was, and to the object as it will be. For a user
   * who may leave the object, the first is enough. An object that follows another one from then on
   * is there as if it was created there.
   */
  #judgeUpdate(changes: ProposedChanges, row: ProposedRow, before: StoredObject): void {
    const { after, updates } = row;
    const computed = new Set(changes.index.computed.map(({ name }) => name));
    const mayLeave = this.#may('leave', before);
    for (const { operation, changed } of updates) {
      for (const name of changed) {
        if (computed.has(name)) continue;
        const right = this.#rightTo(changes, name);
        const mayEnd = mayLeave || this.#may(right, after, this.#after);
        if (mayEnd && this.#may(right, before)) continue;
        changes.refuse(operation, this.#forbidden(right, `change ${quoted(name)}`));
        return;
      }
    }
    const moved = this.#newParents(before, after);
    if (moved.length > 0 && !this.#may('create', after, this.#after)) {
      const names = moved.map(quoted).join(' and ');
      changes.blame(row, moved, this.#forbidden('create', `give it this ${names}`));
      return;
    }
    if (mayLeave || updates.length === 0 || this.#may('read', after, this.#after)) return;
    changes.blame(row, updates.at(-1)?.changed ?? [], OUT_OF_REACH);
  }

  /** Returns the operation that a change of a property is. */
  #rightTo({ index }: ProposedChanges, name: string): Operation {
    if (name === index.roles.shareWith?.name) return 'share';
    return index.names.has(name) ? { update: name } : 'undeclared';
  }

  /** Returns the references by which the object follows others than before. */
  #newParents(before: StoredObject, after: StoredObject): readonly string[] {
    const names = new Set(parentRulesOf(this.#rules).map(({ who }) => who.reference));
    return [...names].filter((name) => {
      const known = new Set(idsIn(before[name]));
      return idsIn(after[name]).some((id) => !known.has(id));
    });
  }

  #may(operation: Operation, object: StoredObject, ancestors = this.#before): boolean {
    return this.#held.meets(this.#scopesFor(operation, object, ancestors));
  }

  #scopesFor(
    operation: Operation,
    object: StoredObject,
    ancestors = this.#before,
  ): readonly string[] {
    const typed = { type: this.#type.table, object };
    return scopesFor(this.#rules, operation, typed, ancestors);
  }

  #forbidden(operation: Operation, what: string): SetError {
    const who = [
      ...new Set(rulesFor(this.#rules, operation).map(({ who: one }) => wordsOf(one, this.#type))),
    ];
    const only = who.length === 0 ? 'The owner of the account alone' : `Only ${who.join(', or ')}`;
    return setError('forbidden', `${only} may ${what}.`);
  }
}

function afterOf({ after }: ProposedRow): StoredObject {
  return after;
}

/** A type without rules is of all users who may write in the account. */
const WHOLE_ACCOUNT: readonly AccessRule[] = [
  { who: { kind: 'owner' }, read: true, create: true, update: true, destroy: true },
];

const OUT_OF_REACH = setError('forbidden', 'You would not see the object.');

/** Returns the users of a rule, as an error names them. */
function wordsOf(who: AccessSubject, { properties }: DataTypeDefinition): string {
  switch (who.kind) {
    case 'owner':
      return 'the owner of the account and users who may write in all of it';
    case 'everyone':
      return 'users of the account, for some objects,';
    case 'role':
      return `users with the role ${quoted(who.role)}`;
    case 'property':
      return properties.some(({ name, role }) => name === who.property && role === 'creator')
        ? 'the user who created it'
        : `users whom ${quoted(who.property)} names`;
    case 'share':
      return `users with the right ${quoted(who.right)}`;
    case 'parent':
      return who.right === undefined
        ? `users who see the object of ${quoted(who.reference)}`
        : `users with the right ${quoted(who.right)}`;
  }
}
