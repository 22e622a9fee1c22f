import { findUnforeseen } from './subject/beside.js';
import type { Server } from './subject/server.js';
import type { Subject } from './subject/subject.js';

/**
 * Removes what was made of a type. A failure is told by `warn`, since an error would hide the
 * outcomes. Without `warn` it is thrown.
 */
export async function tidy(subject: Subject, warn?: (line: string) => void): Promise<void> {
  try {
    await subject.tidy();
  } catch (error) {
    if (warn === undefined) throw error;
    warn(`Not all that was made for ${subject.type} could be removed: ${readMessage(error)}`);
  }
}

/** Names the objects that the run made and that are there still: a line for each account. */
export function nameLeft({ fence }: Server, type: string): readonly string[] {
  return fence.listAccounts(type).map((accountId) => {
    const ids = fence.listMade(type, accountId).map((id) => {
      const maker = fence.findMaker(type, accountId, id);
      return maker === '' ? id : `${id} (made by ${maker})`;
    });
    return `Left behind: ${nameObjects(type, accountId, ids)}`;
  });
}

/** Returns the changes of objects that the run did not make: a line for each account and act. */
export async function tellOthers(subject: Subject): Promise<readonly string[]> {
  return (await findUnforeseen(subject)).flatMap(({ accountId, ...acts }) =>
    Object.entries(acts).flatMap(([act, ids]: [string, readonly string[]]) =>
      ids.length === 0
        ? []
        : [`Not by this run ${act}: ${nameObjects(subject.type, accountId, ids)}`],
    ),
  );
}

/**
 * Tells what others did with objects that the run did not make, or why that can't be known. No
 * error may hide the outcomes.
 */
export async function warnOfOthers(subject: Subject, warn: (line: string) => void): Promise<void> {
  try {
    for (const line of await tellOthers(subject)) warn(line);
  } catch (error) {
    warn(`What others did with ${subject.type} objects is not known: ${readMessage(error)}`);
  }
}

/** Returns words for objects of a type in an account, the first of them by id. */
const nameObjects = (type: string, accountId: string, ids: readonly string[]): string =>
  `${type} objects in account ${accountId}: ${ids.slice(0, MOST_TOLD).join(', ')}`;

/** Ids that are told of what is left behind. */
const MOST_TOLD = 50;

/** Returns the words of whatever was thrown. */
export const readMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
