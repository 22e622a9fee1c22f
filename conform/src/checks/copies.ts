import type { TypeNeeds } from '../check.js';
import type { Call, CopyAnswer, MethodResponse } from '../client/answers.js';
import type { Item, JsonMap } from '../client/json.js';
import { at, entry } from '../expected.js';
import type { Subject } from '../subject/subject.js';

/** The needs that checks of /copy have in common. */

/** Needs a type that has /copy and a text by which copies can be told from each other. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set', 'copy'],
  text: true,
});

/** Arguments of a copy from the first account to the second. */
export const argsOf = (subject: Subject, more: object): object => ({
  fromAccountId: subject.A1,
  accountId: subject.A2,
  ...more,
});

/** Copies from the first account to the second. Throws where the whole call is refused. */
export const copy = (subject: Subject, more: object): Promise<CopyAnswer> =>
  subject.client.copy(subject.type, argsOf(subject, more));

/** Makes the same call, and returns name and arguments of its response, an error or not. */
export const refused = (subject: Subject, more: object) =>
  subject.client.call(`${subject.type}/copy`, argsOf(subject, more));

/** One object as /copy takes it: what it refers to is not in the target, so another is named. */
export const from = (subject: Subject, id: string, more: JsonMap = {}): JsonMap => ({
  id,
  ...subject.moved(),
  ...more,
});

/** A copy of one object that must succeed: what `created` says of it. */
export async function copied(subject: Subject, id: string, more: JsonMap = {}): Promise<Item> {
  const { created } = await copy(subject, { create: { k: from(subject, id, more) } });
  return entry(created, 'k');
}

/** A /copy of one object, under the creation id `k` and the call id `c`, as a call of a request. */
export const copyCall = (subject: Subject, id: string): Call => [
  `${subject.type}/copy`,
  argsOf(subject, { create: { k: from(subject, id) } }),
  'c',
];

/**
 * An object in an account that the user may only read, made by its owner for as long as something
 * is done with it.
 */
export async function inReadOnly(
  subject: Subject,
  text: string,
  work: (id: string, accountId: string) => Promise<void>,
): Promise<void> {
  const { AR: accountId, type, profile } = subject;
  const owner = subject.server.writer(accountId).client(profile.capability);
  await subject.prepare(accountId);
  const create = { k: subject.create(text, accountId) };
  const { id } = entry((await owner.set(type, { accountId, create })).created, 'k');
  await work(id, accountId);
  await owner.set(type, { accountId, destroy: [id] });
}

/** Arguments of one of a request's responses, which must be there. */
export function argsOfResponse(responses: readonly MethodResponse[], index: number): JsonMap {
  return at(responses, index)[1];
}
