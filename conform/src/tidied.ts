import { unforeseen } from './subject/beside.js';
import type { Subject } from './subject/subject.js';

/**
 * Removes what was made. Objects that can't be removed are told with the outcomes: they must not
 * hide them. So is what became of the objects that the run did not make, if it wasn't the run that
 * did it.
 */
export async function tidied(subject: Subject, warn?: (line: string) => void): Promise<void> {
  const { type, profile } = subject;
  try {
    await subject.tidy();
    if (warn === undefined || profile.singleton) return;
    for (const line of [...left(subject), ...(await others(subject))]) warn(line);
  } catch (error) {
    if (warn === undefined) throw error;
    warn(`Not all that was made for ${type} could be removed: ${messageOf(error)}`);
    for (const line of left(subject)) warn(line);
  }
}

/** Names the objects that the run made and that are there still: a line for each account. */
function left(subject: Subject): readonly string[] {
  const { fence } = subject.server;
  return fence.accounts(subject.type).map((accountId) => {
    const ids = fence.made(subject.type, accountId).map((id) => {
      const maker = fence.maker(subject.type, accountId, id);
      return maker === '' ? id : `${id} (made by ${maker})`;
    });
    return `Left behind: ${named(subject, accountId, ids)}`;
  });
}

/** Returns the changes of objects that the run did not make: a line for each account and act. */
export async function others(subject: Subject): Promise<readonly string[]> {
  return (await unforeseen(subject)).flatMap(({ accountId, ...acts }) =>
    Object.entries(acts).flatMap(([act, ids]: [string, readonly string[]]) =>
      ids.length === 0 ? [] : [`Not by this run ${act}: ${named(subject, accountId, ids)}`],
    ),
  );
}

/** Returns words for objects of a type in an account, the first of them by id. */
const named = ({ type }: Subject, accountId: string, ids: readonly string[]): string =>
  `${type} objects in account ${accountId}: ${ids.slice(0, MOST_TOLD).join(', ')}`;

/** Ids that are told of what is left behind. */
const MOST_TOLD = 50;

/** Returns the words of whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
