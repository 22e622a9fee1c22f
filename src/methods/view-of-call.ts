import { knownTypeIn } from '../access/known-types.js';
import type { Moment } from '../access/view-changes.js';
import { blobViewIn, formatViewState, identityOf, stateViewIn, viewIn } from '../access/views.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { Viewer } from '../capability/user-values.js';
import type { BlobView, View } from '../store/port.js';
import type { CallContext } from './context.js';
import { formatState, parseState } from './states.js';

/** Returns the view that limits what a call may see of a type; null where it sees all. */
export function viewOf(
  { account, isInternal, request, services }: Viewing,
  type: DataTypeDefinition,
): View | null {
  if (isInternal || account === undefined) return null;
  return viewIn(account, request.principal, type, services.registry.relations.viewRules);
}

/** Returns the view whose changes move the call's state of a type; null: any change does. */
export function stateViewOf(
  { account, isInternal, request, services }: Viewing,
  type: DataTypeDefinition,
): View | null {
  if (isInternal || account === undefined) return null;
  return stateViewIn(account, request.principal, type, services.registry.relations.viewRules);
}

/** Returns the user whose own values a call reads and writes; null for hooks, which have none. */
export function viewerOf({
  account,
  isInternal,
  request,
}: Omit<Viewing, 'services'>): Viewer | null {
  if (isInternal || account === undefined) return null;
  return { userId: request.principal.userId, isOwner: account.isPersonal };
}

/** Returns a type as the user of a call knows it: without properties that it may not read. */
export function knownTypeOf(
  { account, isInternal, request }: Omit<Viewing, 'services'>,
  type: DataTypeDefinition,
): DataTypeDefinition {
  if (isInternal || account === undefined) return type;
  return knownTypeIn(account, request.principal, type);
}

/** Returns the view that limits which blobs a call may see; null for no limit. */
export function blobViewOf({ account, isInternal, request, services }: Viewing): BlobView | null {
  if (isInternal || account === undefined) return null;
  return blobViewIn(account, request.principal, services.registry.dataTypes);
}

/** The parts of a call that say what its user sees; a hook sees all. */
type Viewing = Pick<CallContext, 'account' | 'isInternal' | 'request' | 'services'>;

/** Returns the state of a type as a call sees it: of all objects, or of those in a view. */
export function formatStateOf(number: number, view: View | null): string {
  return view === null ? formatState(number) : formatViewState({ number }, view);
}

const STATE = /^(\d+)(?::([A-Za-z0-9_-]{1,255}))?-([A-Za-z0-9_-]{6})$/;

/** Returns the moment behind a state; null where we never issued it for such a view. */
export function parseViewState(state: string, view: View): Moment | null {
  const [, digits = '', upTo, identity] = STATE.exec(state) ?? [];
  const number = parseState(digits);
  if (number === null || identity !== identityOf(view)) return null;
  return { number, ...(upTo === undefined ? {} : { upTo }) };
}
