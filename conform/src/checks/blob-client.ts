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
    server.writable(BLOB).length > 0 ? null : `The token reaches no writable account with ${BLOB}.`,
} as const;

/** Returns the account whose blobs are tried. Throws NotApplicable where the user has none. */
export function accountOf(server: Server): string {
  const [first] = server.writable(BLOB);
  if (first === undefined) throw new NotApplicable(`No writable account offers ${BLOB}.`);
  return first;
}

/**
 * With every capability of an account: names of types need theirs in `using`. Those of the session
 * alone may have each response tell more than its methods do.
 */
export const clientOf = ({ user }: Server): Client =>
  user.client(
    ...Object.values(user.session.accounts).flatMap((account) =>
      Object.keys(asMap(account['accountCapabilities'])),
    ),
  );

/** The blob capability of the account (RFC 9404 3.1). */
export const capabilityOf = (server: Server): JsonMap =>
  asMap(asMap(server.user.session.accounts[accountOf(server)]?.['accountCapabilities'])[BLOB]);

/** Returns the strings of a list; of anything else none. */
export const namesIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

/** Returns a data source of RFC 9404 4.1 that is text as it stands. */
export const text = (value: string): JsonMap => ({ 'data:asText': value });

/** Returns a data source of RFC 9404 4.1 that is written in base64. */
export const base64 = (value: string): JsonMap => ({ 'data:asBase64': value });

/** Returns the keys of a map in an order that can be compared. */
export const keys = (map: JsonMap): readonly string[] => Object.keys(map).sort();

/** Describes the answer of a Blob/upload (RFC 9404 4.1), blobs and SetErrors by creation id. */
export interface Uploads {
  readonly created: JsonMap;
  readonly notCreated: JsonMap;
}

/** Blob/upload of these creates. */
export async function upload(server: Server, create: JsonMap): Promise<Uploads> {
  const args = { accountId: accountOf(server), create };
  const { accountId, created, notCreated } = await clientOf(server).ok('Blob/upload', args);
  expect(accountId).toBe(accountOf(server));
  return { created: asMap(created), notCreated: asMap(notCreated) };
}

/** The id of one blob made of these sources, which must be taken. */
export async function made(server: Server, ...data: JsonMap[]): Promise<string> {
  const { created, notCreated } = await upload(server, { k: { data } });
  const { id } = asMap(created['k']);
  if (typeof id !== 'string')
    throw new UnexpectedError(`No blob was made: ${JSON.stringify(notCreated)}`);
  return id;
}

/** Calls Blob/get (RFC 9404 4.2) in the account whose blobs are tried. */
export const getBlobs = (server: Server, args: object): Promise<JsonMap> =>
  clientOf(server).ok('Blob/get', { accountId: accountOf(server), ...args });

/**
 * Returns the list of Blob/get for these ids in their order, without members that have their
 * default.
 */
export async function listed(server: Server, ids: readonly string[], args: object = {}) {
  const { list } = await getBlobs(server, { ids, ...args });
  const all = Array.isArray(list) ? list.map((one) => asMap(one)) : [];
  expect(all).toHaveLength(ids.length);
  return ids.map((id) => {
    const found = all.find((one) => one['id'] === id);
    const members = Object.entries(asMap(found)).filter(([, value]) => value !== false);
    return Object.fromEntries(members);
  });
}

/** Members that are null may be left out (RFC 8620 3.5). */
export const withoutNull = (object: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

/** The octets of a blob, as Blob/get tells them. */
export async function octetsIn(server: Server, id: string): Promise<string> {
  const [one] = await listed(server, [id], { properties: ['data:asBase64'] });
  return Buffer.from(String(one?.['data:asBase64']), 'base64').toString('latin1');
}

/** Holds the text of the examples in RFC 9404 4.2. */
export const FOX = 'The quick brown fox jumped over the lazy dog.';
/** That with octets that are no UTF-8 in it. */
export const BROKEN = 'VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wZWQgb3ZlciB0aGUggYEgZG9nLg==';
