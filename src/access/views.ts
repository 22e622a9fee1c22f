import { hash } from 'node:crypto';
import type { AccountAccess, Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { EVERYONE, OWNER, roleScope, WHOLE } from '../capability/scopes.js';
import { hasUserValues } from '../capability/user-values.js';
import type { BlobView, View } from '../store/port.js';
import type { Moment } from './view-changes.js';

/** The rules by which views are made. */
export interface ViewRules {
  /** By the name of a type with access rules: the tables of objects whose shares count for it. */
  readonly sharedTables: ReadonlyMap<string, readonly string[]>;
  /**
   * By the name of such a type, or of one with values of each user: the hash of what its views
   * follow (rules-hash.ts).
   */
  readonly hashes: ReadonlyMap<string, string>;
  /** By the name of these types: those whose rules say who sees its objects, and itself. */
  readonly judgedWith: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Returns the view that limits what a user sees of a type in an account. Null where the user sees
 * all: the account is the user's own, or is given whole and the type has no access rules.
 */
export function viewIn(
  account: AccountAccess,
  { userId, roles }: Pick<Principal, 'userId' | 'roles'>,
  type: DataTypeDefinition,
  { sharedTables, hashes }: ViewRules,
): View | null {
  if (account.isPersonal) return null;
  if (type.access === undefined && account.isShared !== true) return null;
  return {
    ...userOf(account, { userId, roles }),
    sharedTables: sharedTables.get(type.name) ?? [],
    rules: hashes.get(type.name) ?? null,
  };
}

/**
 * Returns the view whose changes move the state that a user has of a type. It is the view that
 * limits what the user sees. A user who sees all has one, too, where each user has values of its
 * own. Null: the state is the number of the type's last change record.
 */
export function stateViewIn(
  account: AccountAccess,
  principal: Pick<Principal, 'userId' | 'roles'>,
  type: DataTypeDefinition,
  rules: ViewRules,
): View | null {
  const view = viewIn(account, principal, type, rules);
  if (view !== null || !hasUserValues(type)) return view;
  const { userId } = principal;
  const hash = rules.hashes.get(type.name) ?? null;
  return { userId, scopes: [EVERYONE, WHOLE], sharedTables: [], rules: hash };
}

/** Returns whether the user of a view sees all objects. */
export function seesWhole({ scopes }: Pick<View, 'scopes'>): boolean {
  return scopes.includes(WHOLE);
}

function userOf(
  account: AccountAccess,
  { userId, roles }: Pick<Principal, 'userId' | 'roles'>,
): Omit<View, 'sharedTables' | 'rules'> {
  return { userId, scopes: scopesWithoutShares(account, roles) };
}

/** Returns the scopes that a user has in an account without a share. */
export function scopesWithoutShares(
  account: AccountAccess,
  roles: readonly string[],
): readonly string[] {
  const own = account.isShared === true || account.isReader === true ? [] : [OWNER];
  return [EVERYONE, ...own, ...roles.map(roleScope)];
}

/** Returns the view that limits which blobs of an account a user sees; null for no limit. */
export function blobViewIn(
  account: AccountAccess,
  principal: Pick<Principal, 'userId' | 'roles'>,
  types: ReadonlyMap<string, DataTypeDefinition>,
): BlobView | null {
  if (account.isPersonal) return null;
  const whole = [...types.values()].filter(({ access }) => access === undefined);
  const isShared = account.isShared === true;
  if (!isShared && whole.length === types.size) return null;
  const tables = isShared ? [] : whole.map(({ table }) => table);
  return { ...userOf(account, principal), tables };
}

/** Returns whether the user may see a part of some types or objects of the account alone. */
export function seesPart(account: AccountAccess, { sharedTables }: ViewRules): boolean {
  return (sharedTables.size > 0 && !account.isPersonal) || account.isShared === true;
}

/** Characters of a hash, in base64url. */
const HASH_LENGTH = 6;

/**
 * Returns the state of a view. It names the user, the rules, and the scopes that the user has
 * without a share. With others, such as another role, the user has another view, and no old state
 * leads to it.
 */
export function formatViewState({ number, upTo }: Moment, view: View): string {
  const part = upTo === undefined ? '' : `:${upTo}`;
  return `${number}${part}-${identityOf(view)}`;
}

/** Returns the text that stands for a user with these scopes, and for the rules. */
export function identityOf({ userId, scopes, rules }: View): string {
  const text = JSON.stringify([userId, rules, ...[...scopes].sort()]);
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH);
}
