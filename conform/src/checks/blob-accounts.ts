import type { HttpAnswer } from '../client/http.js';
import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { Random } from '../random.js';
import type { Server } from '../subject/server.js';
import { BLOB, CORE } from '../subject/user.js';

/**
 * Finds the capability of accounts that have blobs: RFC 9404 where the session offers it, else the
 * first that a writable account offers, else core.
 */
export function findBlobCapability({ user: { session } }: Server): string {
  if (session.listOffering(BLOB).length > 0) return BLOB;
  const writable = Object.keys(session.accounts).filter((id) => !session.isReadOnly(id));
  const offered = writable.flatMap((id) =>
    Object.keys(asMap(session.accounts[id]?.['accountCapabilities'])),
  );
  return offered[0] ?? CORE;
}

/** Finds the accounts that blobs can be put in. */
export const findBlobAccounts = (server: Server): readonly string[] =>
  server.listWritable(findBlobCapability(server));

/** Returns why nothing can be shown of blobs; null where it can. */
export function needBlobs(server: Server): string | null {
  if (typeof server.user.session.object['uploadUrl'] !== 'string')
    return 'The session has no uploadUrl.';
  return findBlobAccounts(server).length > 0 ? null : 'The token reaches no writable account.';
}

/** Needs HTTP and an account with blobs: no WebSocket carries an upload or a download. */
export const HTTP = { applies: needBlobs, transport: 'http' } as const;

/** Tells whether an answer refuses a request: RFC 8620 6.1 and 6.2 say nothing of the status. */
export const isRefusal = ({ status }: HttpAnswer): boolean => status >= 400 && status < 500;

/** Finds the account that blobs are put in. Throws NotApplicable where there is none. */
export function findBlobAccount(server: Server): string {
  const [first] = findBlobAccounts(server);
  if (first === undefined) throw new NotApplicable('The token reaches no writable account.');
  return first;
}

/** Finds a second account that blobs can be put in. Throws NotApplicable where there is none. */
export function findSecondBlobAccount(server: Server): string {
  const [, second] = findBlobAccounts(server);
  if (second === undefined)
    throw new NotApplicable('The token reaches no second writable account.');
  return second;
}

/** Draws so many octets of any value, the same for a seed. */
export function drawOctets(server: Server, length: number): Buffer {
  const random = new Random(server.seed);
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}
