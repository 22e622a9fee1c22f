import { hash } from 'node:crypto';
import type { Moment } from '../access/view-changes.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { EVERYONE, OWNER, roleScope } from '../capability/scopes.js';
import type { View } from '../store/port.js';
import type { CallContext } from './context.js';
import { formatState, parseState } from './states.js';

/**
 * Returns the view that limits what a call may see of a type. Null where it sees all: the type has
 * no access rules, the account is the user's own, or a hook asks.
 */
export function viewOf(
  { account, isInternal, request, services }: Viewing,
  type: DataTypeDefinition,
): View | null {
  if (type.access === undefined || isInternal || account === undefined) return null;
  if (account.isPersonal) return null;
  const { userId, roles } = request.principal;
  const own = account.isShared === true || account.isReader === true ? [] : [OWNER];
  const scopes = [EVERYONE, ...own, ...roles.map(roleScope)];
  const sharedTables = services.registry.relations.sharedTables.get(type.name) ?? [];
  return { userId, groupIds: [], scopes, sharedTables };
}

/** The parts of a call that say what its user sees. */
type Viewing = Pick<CallContext, 'account' | 'isInternal' | 'request' | 'services'>;

/** Returns the state of a type as a call sees it: of all objects, or of those in a view. */
export function formatStateOf(number: number, view: View | null): string {
  return view === null ? formatState(number) : formatViewState({ number }, view);
}

/** Characters of a hash, in base64url. */
const HASH_LENGTH = 6;

/**
 * Returns the state of a view. It names the user and the scopes that the user has without a share:
 * with others, such as another role, the user has another view, and no state of before leads to it.
 */
export function formatViewState({ number, upTo }: Moment, view: View): string {
  const part = upTo === undefined ? '' : `:${upTo}`;
  return `${formatState(number)}${part}-${identityOf(view)}`;
}

const STATE = /^(\d+)(?::([A-Za-z0-9_-]{1,255}))?-([A-Za-z0-9_-]{6})$/;

/** Returns the moment behind a state; null where we never issued it for such a view. */
export function parseViewState(state: string, view: View): Moment | null {
  const [, digits = '', upTo, identity] = STATE.exec(state) ?? [];
  const number = parseState(digits);
  if (number === null || identity !== identityOf(view)) return null;
  return { number, ...(upTo === undefined ? {} : { upTo }) };
}

function identityOf({ userId, scopes }: View): string {
  const text = JSON.stringify([userId, ...[...scopes].sort()]);
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH);
}
