import { readLimit, type Session } from '../call/session.js';
import type { TypeTable } from '../schema/tables.js';
import type { SyncLimits } from '../sync/sync-options.js';

const SYNC = 'urn:jmapsmith:sync';

/** Returns whether the client can keep a copy of a type. */
export function isKept({ methods }: TypeTable): boolean {
  return methods.includes('get') && methods.includes('changes');
}

/**
 * Returns whether an account has a type. A server may not know all types of a capability; some give
 * null for an account that has nothing yet.
 */
export function isUsed(table: TypeTable, accountId: string, session: Session): boolean {
  const account = session.accounts[accountId];
  if (!isKept(table) || account?.accountCapabilities?.[table.capability] === undefined)
    return false;
  const { types } = readSync(session);
  return types === undefined || types[table.name] !== undefined;
}

/** Returns what the server tells of its types and its history, where it does. */
export function readSync({ capabilities }: Session) {
  return (capabilities[SYNC] ?? {}) as {
    readonly epoch?: unknown;
    readonly types?: Readonly<Record<string, { readonly hash?: unknown }>>;
  };
}

/** Returns what a copy of a type is good for: a descriptor on both sides, and a history. */
export function versionOf({ hash, name }: TypeTable, session: Session): string {
  const { epoch, types } = readSync(session);
  return [hash, types?.[name]?.hash, epoch].join(' ');
}

/** Returns the limits of a server, and at most 1,000 objects and calls at once. */
export function readLimits(session: Session): SyncLimits {
  const most = (name: keyof SyncLimits): number => Math.min(readLimit(session, name), 1000);
  return {
    maxCallsInRequest: most('maxCallsInRequest'),
    maxObjectsInGet: most('maxObjectsInGet'),
    maxObjectsInSet: most('maxObjectsInSet'),
    maxSizeRequest: readLimit(session, 'maxSizeRequest'),
  };
}
