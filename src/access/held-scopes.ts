import type { AccessChange, PrincipalId } from '../store/port.js';

/** The scopes of a user at one moment. */
export interface ScopesOfUser {
  readonly userId: PrincipalId;
  /** The groups that the user is in. */
  readonly groupIds: Iterable<PrincipalId>;
  /** The scopes that no access change gives or takes, such as `*`. */
  readonly fixed: Iterable<string>;
  /** The scopes that the user and each of these groups were given: one may be there twice. */
  readonly given: Iterable<string>;
}

/**
 * The scopes that a user has at one moment of a history. It goes forward and back: a scope that the
 * user has in two ways stays when one of them ends.
 */
export class HeldScopes {
  readonly #userId: PrincipalId;
  readonly #groupIds: Set<PrincipalId>;
  /** In how many ways the user has each. */
  readonly #ways = new Map<string, number>();

  constructor({ userId, groupIds, fixed, given }: ScopesOfUser) {
    this.#userId = userId;
    this.#groupIds = new Set(groupIds);
    for (const scope of fixed) this.#add(scope, 1);
    for (const scope of given) this.#add(scope, 1);
  }

  /** Returns a copy, which goes its own way. */
  copy(): HeldScopes {
    const given = [...this.#ways].flatMap(([scope, ways]) => Array<string>(ways).fill(scope));
    return new HeldScopes({ userId: this.#userId, groupIds: this.#groupIds, fixed: [], given });
  }

  /** Returns whether the user has one of the scopes. */
  meets(scopes: readonly string[]): boolean {
    return scopes.some((scope) => this.#ways.has(scope));
  }

  /** Makes a change. Returns the scopes that the user has gained or lost by it. */
  apply(change: AccessChange): readonly string[] {
    return this.#change(change, change.kind === 'given');
  }

  /** Takes a change back that was the last one. */
  revert(change: AccessChange): void {
    this.#change(change, change.kind !== 'given');
  }

  #change({ principalId, memberId, scopes }: AccessChange, isGiven: boolean): readonly string[] {
    if (memberId === undefined) {
      if (principalId !== this.#userId && !this.#groupIds.has(principalId)) return [];
    } else {
      if (memberId !== this.#userId) return [];
      if (isGiven) this.#groupIds.add(principalId);
      else this.#groupIds.delete(principalId);
    }
    return scopes.filter((scope) => this.#add(scope, isGiven ? 1 : -1));
  }

  /** Returns whether the user has gained or lost the scope. */
  #add(scope: string, step: 1 | -1): boolean {
    const before = this.#ways.get(scope) ?? 0;
    const after = before + step;
    if (after <= 0) this.#ways.delete(scope);
    else this.#ways.set(scope, after);
    return before === 0 || after === 0;
  }
}
