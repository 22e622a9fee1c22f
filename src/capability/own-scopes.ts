import { EVERYONE, ownValueScope, principalScope } from './scopes.js';

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

/**
 * Returns the scopes of the record of a user's own values at an object. `held`: the scopes by which
 * the user sees the object. The scope of the user stands for all of its views.
 */
export function ownScopesAt(view: ViewOfUser, held: readonly string[]): readonly string[] {
  const { userId } = view;
  const ofToken = new Set(scopesOfToken(view));
  const isForAll = held.some((scope) => !ofToken.has(scope));
  if (isForAll) return [principalScope(userId)];
  return held.map((scope) => ownValueScope(userId, scope));
}

/** Returns the scopes of a view that other tokens of its user may lack. */
function scopesOfToken({ scopes }: ViewOfUser): readonly string[] {
  return scopes.filter((scope) => scope !== EVERYONE);
}
