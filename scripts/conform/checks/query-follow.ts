import { expect } from 'expect';
import type { QueryChangesAnswer } from '../client/answers.js';
import { type Cached, everyId, spliced, triedChanges } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';

/** What /queryChanges says, applied to what was cached, is what the query finds now, which is returned. */
export async function follows(
  subject: Subject,
  { args, ids: before }: Cached,
  answer: QueryChangesAnswer,
): Promise<readonly string[]> {
  const ids = await everyId(subject, args);
  expect({ args, ids: spliced(before, answer) }).toEqual({ args, ids });
  return ids;
}

/** A /queryChanges with these arguments is answered an error. */
export async function refusesChanges(
  subject: Subject,
  args: object,
  error: readonly unknown[],
): Promise<void> {
  expect({ args, answer: await triedChanges(subject, args) }).toEqual({ args, answer: error });
}
