import type { TypeNeeds } from '../check.js';
import type { Call, CopyAnswer, MethodResponse } from '../client/answers.js';
import type { Item, JsonMap } from '../client/json.js';
import { at, entry } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';

/** The needs that checks of /copy have in common. */

/** Needs a type that has /copy and a text by which copies can be told from each other. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set', 'copy'],
  text: true,
});

/** Builds the arguments of a copy from the first account to the second. */
export const buildArgs = (subject: Subject, more: object): object => ({
  fromAccountId: subject.A1,
  accountId: subject.A2,
  ...more,
});

/** Copies from the first account to the second. Throws where the whole call is refused. */
export const copy = (subject: Subject, more: object): Promise<CopyAnswer> =>
  subject.client.copy(subject.type, buildArgs(subject, more));

/**
 * Calls /copy from the first account to the second. Returns the name and the arguments of the
 * response, an error or not.
 */
export const tryCopy = (subject: Subject, more: object) =>
  subject.client.call(`${subject.type}/copy`, buildArgs(subject, more));

/**
 * Builds a create of /copy for one object. Its references name objects of the target account, where
 * those of the original are missing.
 */
export const buildCopy = (subject: Subject, id: string, more: JsonMap = {}): JsonMap => ({
  id,
  ...subject.readPrepared(),
  ...more,
});

/** Copies one object, which must succeed. Returns what `created` says of the copy. */
export async function copyOne(subject: Subject, id: string, more: JsonMap = {}): Promise<Item> {
  const { created } = await copy(subject, { create: { k: buildCopy(subject, id, more) } });
  return entry(created, 'k');
}

/** Builds a call of /copy for one object, with the creation id `k` and the call id `c`. */
export const buildCopyCall = (subject: Subject, id: string): Call => [
  `${subject.type}/copy`,
  buildArgs(subject, { create: { k: buildCopy(subject, id) } }),
  'c',
];

/**
 * Creates an object, as its owner, in an account that the user may only read. Works with it, and
 * destroys it again. Throws NotApplicable where the server hides it from the user.
 */
export async function withReadOnlyObject(
  subject: Subject,
  text: string,
  work: (id: string, accountId: string) => Promise<void>,
): Promise<void> {
  const { AR: accountId, type, profile } = subject;
  const owner = subject.server.findWriter(accountId).buildClient(profile.capability);
  await subject.prepare(accountId);
  const create = { k: subject.create(text, accountId) };
  const { id } = entry((await owner.set(type, { accountId, create })).created, 'k');
  const { list } = await subject.client.get(type, { accountId, ids: [id] });
  if (list.length > 0) await work(id, accountId);
  await owner.set(type, { accountId, destroy: [id] });
  if (list.length === 0) throw new NotApplicable('The user sees no object of that account.');
}

/** Reads the arguments of one of a request's responses. Throws where there is no such response. */
export function readArgs(responses: readonly MethodResponse[], index: number): JsonMap {
  return at(responses, index)[1];
}
