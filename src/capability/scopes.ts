/**
 * Scopes say who sees an object: an object has some, a user has some, and the user sees the object
 * where they have one in common. The name of a type begins with a capital letter, and an id has no
 * `/`. So no scope of a share is the scope of a role, whatever the name of the role.
 */

/** The owner of the account has it, and users who may write in all of it. */
export const OWNER = 'o';
/** All users who reach the account have it. */
export const EVERYONE = '*';

export function roleScope(role: string): string {
  return `r:${role}`;
}

/** Returns the role of such a scope. */
export function roleIn(scope: string): string {
  return scope.slice(roleScope('').length);
}

const PRINCIPAL = 'p:';

/** Returns the scope of a user, or of a group. */
export function principalScope(principalId: string): string {
  return `${PRINCIPAL}${principalId}`;
}

/** Returns the principal whose scope it is; null for another scope. */
export function principalIn(scope: string): string | null {
  return scope.startsWith(PRINCIPAL) ? scope.slice(PRINCIPAL.length) : null;
}

/**
 * Returns the scope of a user's own values at objects that the user sees by `scope` alone. Not all
 * of its tokens have that: it is a role, for instance. An id has no blank.
 */
export function ownValueScope(userId: string, scope: string): string {
  return `${principalScope(userId)} ${scope}`;
}

/** An object at which users have rights by shares, as scopes name it. */
export type SharedObject = string;

/** `type`: the object's table. */
export function sharedObject(type: string, id: string): SharedObject {
  return `${type}:${id}`;
}

/** Returns the range of the scopes that shares of a table's objects give: the end isn't in it. */
export function scopesOfTable(table: string): readonly [begin: string, end: string] {
  return [`${table}:`, `${table};`];
}

/** Returns the table of the object whose share gives a scope. */
export function tableOfScope(scope: string): string {
  return scope.slice(0, scope.indexOf(':'));
}

/** Returns the id of the object whose share gives a scope. */
export function idOfScope(scope: string): string {
  return scope.slice(scope.indexOf(':') + 1, scope.lastIndexOf('/'));
}

/** Returns the right that a scope of a share gives. */
export function rightOfScope(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

/** Returns the range of the scopes that shares of an object give: the end isn't in it. */
export function scopesOfObject(object: SharedObject): readonly [begin: string, end: string] {
  return [`${object}/`, `${object}0`];
}

/** Returns the scope of those who have a right at an object, by a share. */
export function shareScope(object: SharedObject, right: string): string {
  return `${object}/${right}`;
}

/**
 * An object of a shared type has marked scopes, too. They tell which users have a right there, and
 * which users may share it. No user has a marked scope, so nobody sees an object by it. The first
 * character is the mark.
 */
const RIGHT = '=';
const SHARER = '~';
export const MARKS: readonly string[] = Object.freeze([RIGHT, SHARER]);

/** Marks the scope of a share: who has it has the share's right at the object. */
export function rightMark(scope: string): string {
  return `${RIGHT}${scope}`;
}

/** Marks the scope of users who may change with whom the object is shared. */
export function sharerMark(scope: string): string {
  return `${SHARER}${scope}`;
}

/** Returns a scope with each mark that it may have. */
export function markedForms(scope: string): readonly string[] {
  return MARKS.map((mark) => `${mark}${scope}`);
}

/** Returns the scope behind a mark, and the right; null where it is the mark of a sharer. */
export function unmarked(mark: string): { readonly scope: string; readonly right: string | null } {
  const scope = mark.slice(1);
  return { scope, right: mark.startsWith(RIGHT) ? scope.slice(scope.indexOf('/') + 1) : null };
}

/**
 * The scope of users who see all objects of a type, if the type has values of each user. Its change
 * records have the scope, so that the state of such a user can pass over values of others.
 */
export const WHOLE = '+';
/**
 * The object of rows of JmapScope that count, in a type with values of each user. With `WHOLE` a
 * row has the number of the last change of an object. With a scope of a user's own values it has
 * the number of their last change.
 */
export const COUNTED = '-';
/** The object of rows of JmapScope that tell when the access of a principal changed. */
export const NO_OBJECT = '';
/** The object of rows of JmapScope that tell the last record of a scope that was removed. */
export const PRUNED = ' ';
/** The scope of the row of `PRUNED` that concerns every view: it stands for many scopes. */
export const ANY_SCOPE = '';

/** Returns the key in JmapMeta of the hash of a table's rules (access/rules-hash.ts). */
export function rulesKey(table: string): string {
  return `rules:${table}`;
}

/** The kind of the rows of JmapChange that tell of changes of access. */
export const ACCESS_KIND = 3;
/** Characters of such a record, about: who reads the changes of a type reads it whole. */
export const MAX_ACCESS_CHARACTERS = 262_144;
