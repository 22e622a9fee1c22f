import type { HttpAnswer } from '../client/http.js';
import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { Random } from '../random.js';
import type { Server } from '../subject/server.js';
import { BLOB, CORE } from '../subject/user.js';

/**
 * The capability of an account that has blobs: RFC 9404 where a server knows it, else whatever it
 * offers at all.
 */
export function blobCapability({ user: { session } }: Server): string {
  if (session.offering(BLOB).length > 0) return BLOB;
  const writable = Object.keys(session.accounts).filter((id) => !session.isReadOnly(id));
  const offered = writable.flatMap((id) =>
    Object.keys(asMap(session.accounts[id]?.['accountCapabilities'])),
  );
  return offered[0] ?? CORE;
}

/** Accounts that blobs can be put in. */
export const blobAccounts = (server: Server): readonly string[] =>
  server.writable(blobCapability(server));

/** Why nothing can be shown of blobs; null where it can. */
export function withoutBlobs(server: Server): string | null {
  if (typeof server.user.session.object['uploadUrl'] !== 'string')
    return 'The session has no uploadUrl.';
  return blobAccounts(server).length > 0 ? null : 'The token reaches no writable account.';
}

/** Needs HTTP and an account with blobs: no WebSocket carries an upload or a download. */
export const HTTP = { applies: withoutBlobs, transport: 'http' } as const;

/** Tells whether an answer refuses a request: RFC 8620 6.1 and 6.2 say nothing of the status. */
export const isRefusal = ({ status }: HttpAnswer): boolean => status >= 400 && status < 500;

/** Returns the account that blobs are put in. Throws NotApplicable where there is none. */
export function blobAccount(server: Server): string {
  const [first] = blobAccounts(server);
  if (first === undefined) throw new NotApplicable('The token reaches no writable account.');
  return first;
}

/** Returns a second one. Throws NotApplicable where there is none. */
export function secondBlobAccount(server: Server): string {
  const [, second] = blobAccounts(server);
  if (second === undefined)
    throw new NotApplicable('The token reaches no second writable account.');
  return second;
}

/** Octets of any value, the same for a seed. */
export function octetsOf(server: Server, length: number): Buffer {
  const random = new Random(server.seed);
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}
