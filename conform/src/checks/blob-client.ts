import { expect } from 'expect';
import type { Client } from '../client/client.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { Server } from '../subject/server.js';
import { BLOB } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';

/** RFC 9404's methods as checks call them, in the first writable account that has them. */

/** Needs a server whose session has the blob methods (RFC 9404). */
export const METHODS = {
  applies: (server: Server): string | null =>
    server.listWritable(BLOB).length > 0
      ? null
      : `The token reaches no writable account with ${BLOB}.`,
} as const;

/** Finds the account whose blobs are tried. Throws NotApplicable where the user has none. */
export function findAccount(server: Server): string {
  const [first] = server.listWritable(BLOB);
  if (first === undefined) throw new NotApplicable(`No writable account offers ${BLOB}.`);
  return first;
}

/**
 * Builds a client that names every capability of the accounts in `using`, since names of types need
 * theirs. It leaves out the session's others, which may add members to responses.
 */
export const buildClient = ({ user }: Server): Client =>
  user.buildClient(
    ...Object.values(user.session.accounts).flatMap((account) =>
      Object.keys(asMap(account['accountCapabilities'])).filter(
        (uri) => uri in user.session.capabilities,
      ),
    ),
  );

/** Reads the blob capability of the account (RFC 9404 3.1). */
export const readCapability = (server: Server): JsonMap =>
  asMap(asMap(server.user.session.accounts[findAccount(server)]?.['accountCapabilities'])[BLOB]);

/** Returns the strings of a list; of anything else none. */
export const readNames = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

/** Returns a data source of RFC 9404 4.1 that is text as it stands. */
export const buildText = (value: string): JsonMap => ({ 'data:asText': value });

/** Returns a data source of RFC 9404 4.1 that is written in base64. */
export const buildBase64 = (value: string): JsonMap => ({ 'data:asBase64': value });

/** Returns the keys of a map in an order that can be compared. */
export const sortKeys = (map: JsonMap): readonly string[] => Object.keys(map).sort();

/** Describes the answer of a Blob/upload (RFC 9404 4.1), blobs and SetErrors by creation id. */
export interface Uploads {
  readonly created: JsonMap;
  readonly notCreated: JsonMap;
}

/** Calls Blob/upload with these creates. Throws where the whole call is refused. */
export async function upload(server: Server, create: JsonMap): Promise<Uploads> {
  const args = { accountId: findAccount(server), create };
  const { accountId, created, notCreated } = await buildClient(server).ok('Blob/upload', args);
  expect(accountId).toBe(findAccount(server));
  return { created: asMap(created), notCreated: asMap(notCreated) };
}

/**
 * Creates one blob of these sources and returns its id. Throws UnexpectedError where it is refused.
 */
export async function createBlob(server: Server, ...data: JsonMap[]): Promise<string> {
  const { created, notCreated } = await upload(server, { k: { data } });
  const { id } = asMap(created['k']);
  if (typeof id !== 'string')
    throw new UnexpectedError(`No blob was made: ${JSON.stringify(notCreated)}`);
  return id;
}

/** Calls Blob/get (RFC 9404 4.2) in the account whose blobs are tried. */
export const getBlobs = (server: Server, args: object): Promise<JsonMap> =>
  buildClient(server).ok('Blob/get', { accountId: findAccount(server), ...args });

/**
 * Returns the list of Blob/get for these ids in their order, without members that have their
 * default.
 */
export async function listBlobs(server: Server, ids: readonly string[], args: object = {}) {
  const { list } = await getBlobs(server, { ids, ...args });
  const all = Array.isArray(list) ? list.map((one) => asMap(one)) : [];
  expect(all).toHaveLength(ids.length);
  return ids.map((id) => {
    const found = all.find((one) => one['id'] === id);
    const members = Object.entries(asMap(found)).filter(([, value]) => value !== false);
    return Object.fromEntries(members);
  });
}

/** Drops the members that are null, since they may be left out (RFC 8620 3.5). */
export const dropNulls = (object: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

/** Reads the octets of a blob by Blob/get, one character for each octet. */
export async function readOctets(server: Server, id: string): Promise<string> {
  const [one] = await listBlobs(server, [id], { properties: ['data:asBase64'] });
  return Buffer.from(String(one?.['data:asBase64']), 'base64').toString('latin1');
}

/** Holds the text of the examples in RFC 9404 4.2. */
export const FOX = 'The quick brown fox jumped over the lazy dog.';
/** That with octets that are no UTF-8 in it. */
export const BROKEN = 'VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wZWQgb3ZlciB0aGUggYEgZG9nLg==';
