import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { Random } from '../random.js';
import type { Server } from '../subject/server.js';
import { BLOB, CORE } from '../subject/user.js';

/**
 * What an account that has blobs offers: RFC 9404 where a server knows it, else whatever it offers
 * at all.
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

/** The account that most is done in. */
export function blobAccount(server: Server): string {
  const [first] = blobAccounts(server);
  if (first === undefined) throw new NotApplicable('The token reaches no writable account.');
  return first;
}

/** A second one. */
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
