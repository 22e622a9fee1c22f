import { EVERYONE, OWNER, ownValueScope, principalScope, roleScope, WHOLE } from './scopes.js';

/**
 * Scopes of change records of a user's own values. Tokens of one user may have other roles, or
 * reach an account in another way, and so see other objects. None hears of an object that another
 * one alone sees.
 */

/** A view of a user, as the store's port has it. */
interface ViewOfUser {
  readonly userId: string;
  readonly scopes: readonly string[];
}

/** Returns the scopes by which a view knows the change records of its user's own values. */
export function ownScopesOf(view: ViewOfUser): readonly string[] {
  const { userId } = view;
  const parts = scopesOfToken(view).map((scope) => ownValueScope(userId, scope));
  return [principalScope(userId), ...parts];
}

/** The scopes by which an object is seen. */
export interface ScopesOfObject {
  readonly all: readonly string[];
  /** The ones that a view has. */
  readonly held: readonly string[];
}

/**
 * Returns the scopes of the record of a user's own values at an object. The scope of the user
 * stands for all of its views. Without it, each token hears of it that sees the object in
 * another way.
 */
export function ownScopesAt(view: ViewOfUser, { all, held }: ScopesOfObject): readonly string[] {
  const { userId } = view;
  const ofToken = new Set(scopesOfToken(view));
  const isForAll = held.some((scope) => !ofToken.has(scope));
  if (isForAll) return [principalScope(userId)];
  return all.filter(isOfTokens).map((scope) => ownValueScope(userId, scope));
}

/** Returns whether tokens of one user may differ in a scope. */
function isOfTokens(scope: string): boolean {
  return scope === OWNER || scope === WHOLE || scope.startsWith(roleScope(''));
}

/** Returns the scopes of a view that other tokens of its user may lack. */
function scopesOfToken({ scopes }: ViewOfUser): readonly string[] {
  return scopes.filter((scope) => scope !== EVERYONE);
}
