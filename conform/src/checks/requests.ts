import { expect } from 'expect';
import {
  type ApiResponse,
  asSet,
  type Call,
  findAnswer,
  type SetAnswer,
} from '../client/answers.js';
import type { Item } from '../client/json.js';
import { entry } from '../expected.js';
import type { Subject } from '../subject/subject.js';

/** Requests of several calls, of the first account, and what they made. */

/** Returns a call of /set in the first account of the type. */
export const buildSetCall = ({ type, A1 }: Subject, args: object, callId: string): Call => [
  `${type}/set`,
  { accountId: A1, ...args },
  callId,
];

/** Returns a call of /get in the first account of the type. */
export const buildGetCall = ({ type, A1 }: Subject, args: object, callId: string): Call => [
  `${type}/get`,
  { accountId: A1, ...args },
  callId,
];

/** Returns the answer to a /set of a request, which must be no error. */
export const readSet = (response: ApiResponse, callId: string): SetAnswer =>
  asSet(findAnswer(response, callId));

/** Reads the object that a call of a request must have created, as its response tells of it. */
export const readCreated = (response: ApiResponse, callId: string, key = 'k'): Item =>
  entry(readSet(response, callId).created, key);

/** Expects that no object has the id any more. */
export async function expectGone({ client, type, A1 }: Subject, id: string): Promise<void> {
  expect((await client.get(type, { accountId: A1, ids: [id] })).notFound).toEqual([id]);
}

/** Returns the errors in notUpdated or notDestroyed where all of these have one error. */
export const matchSetErrors = (subject: Subject, ids: readonly string[], type: string): object =>
  Object.fromEntries(ids.map((id) => [id, subject.matchSetError(type)]));
