import type { Item } from '../client/json.js';
import { same } from './profile.js';
import type { Subject } from './subject.js';

/** Objects of a type that a run did not make: how checks find a place beside them, and what became of them. */

/** With more of them each check would list them over and over. */
const MOST_BESIDE = 500;

/** Accounts that checks make objects in. */
export const accountsOf = ({ server, profile }: Subject): readonly string[] =>
  server.writable(profile.capability).slice(0, 2);

/**
 * Looks what is there of a type in each account that a check may write to, or try to. Why the type has nothing to be
 * checked; null where it has. What isn't answered, or is more than checks are run beside, is an error.
 */
export async function lookAround(subject: Subject): Promise<string | null> {
  const { server, profile, type } = subject;
  const accounts = accountsOf(subject);
  if (accounts.length === 0)
    return `The user reaches no writable account with ${profile.capability}.`;
  if (!subject.has('get')) return 'The type has no /get.';
  for (const accountId of new Set([...accounts, ...server.known(profile.capability)])) {
    const client = server.reader(accountId).client(profile.capability);
    const [name, answer] = await client.call(`${type}/get`, { accountId, ids: null });
    const list = Array.isArray(answer['list']) ? (answer['list'] as Item[]) : [];
    if (name !== 'error') server.fence.found(type, accountId, list);
    if (!accounts.includes(accountId)) continue;
    const told = `${type}/get answers ${JSON.stringify(answer)}.`;
    // Among them requestTooLarge: more are there than a /get may tell (RFC 8620 5.1).
    if (name === 'error') throw new Error(told);
    const { size } = subject.foreign(accountId);
    if (size > MOST_BESIDE)
      throw new Error(
        `Account ${accountId} has ${size} ${type} objects: checks are run beside ${MOST_BESIDE} at the most.`,
      );
  }
  return null;
}

/** What of a type is otherwise than when the run looked, and not by its doing, as far as it can tell. */
export interface Unforeseen {
  readonly accountId: string;
  /** Ids of objects that it did not make. */
  readonly come: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

export async function unforeseen(subject: Subject): Promise<readonly Unforeseen[]> {
  const { server, type, profile } = subject;
  const found: Unforeseen[] = [];
  for (const accountId of profile.singleton ? [] : accountsOf(subject)) {
    const made = new Set(server.fence.made(type, accountId));
    const now = new Map((await subject.everything(accountId)).map((item) => [item.id, item]));
    const before = subject.foreign(accountId);
    const come = [...now.keys()].filter((id) => !before.has(id) && !made.has(id));
    const gone = [...before.keys()].filter((id) => !now.has(id));
    const changed = [...before].flatMap(([id, item]) => {
      const other = now.get(id);
      return other === undefined || same(item, other) ? [] : [id];
    });
    if (come.length + gone.length + changed.length > 0)
      found.push({ accountId, come, changed, gone });
  }
  return found;
}
