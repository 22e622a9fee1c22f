import { type Item, same } from '../client/json.js';
import { UnexpectedError } from '../unexpected.js';
import type { Subject } from './subject.js';

/**
 * Objects of a type that a run did not make: how checks find a place beside them, and what became
 * of them.
 */

/** Lists the accounts that checks make objects in, two at the most. */
export const listAccounts = ({ server, profile }: Subject): readonly string[] =>
  server.listWritable(profile.capability).slice(0, 2);

/**
 * Looks what is there of a type in each account that a check may write to, or try to. Returns why
 * the type has nothing to be checked; null where it has. A missing answer is an error.
 */
export async function lookAround(subject: Subject): Promise<string | null> {
  const { server, profile } = subject;
  const accounts = listAccounts(subject);
  if (accounts.length === 0)
    return `The user reaches no writable account with ${profile.capability}.`;
  if (!subject.has('get')) return 'The type has no /get.';
  for (const accountId of new Set([...accounts, ...server.listKnown(profile.capability)]))
    if (accounts.includes(accountId)) await subject.look(accountId);
    // An account that is only read may be out of reach: a check tells.
    else await subject.look(accountId).catch(rethrowOthers);
  return null;
}

/** Throws an error again unless it tells what the server did. */
function rethrowOthers(error: unknown): void {
  if (!(error instanceof UnexpectedError)) throw error;
}

/**
 * The objects of a type that are otherwise than when the run looked, and not by its doing, as far
 * as it can tell.
 */
export interface Unforeseen {
  readonly accountId: string;
  /** Ids of objects that it did not make. */
  readonly come: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

/** Finds what became of objects that the run did not make: those that came, changed or went. */
export async function findUnforeseen(subject: Subject): Promise<readonly Unforeseen[]> {
  const { server, type, profile } = subject;
  const found: Unforeseen[] = [];
  for (const accountId of profile.singleton ? [] : listAccounts(subject)) {
    if (server.listings.findWay(type, accountId) === 'own') continue;
    const made = new Set(server.fence.listMade(type, accountId));
    const now = new Map((await subject.listAll(accountId)).map((item) => [item.id, item]));
    const before = subject.listForeign(accountId);
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

/**
 * Takes note of what the run made by creates whose answers were lost, so that it is removed at the
 * end.
 */
export async function adoptLost(subject: Subject): Promise<void> {
  const { server, world } = subject;
  const { fence } = server;
  for (const { type, accountId } of [...fence.unanswered])
    if (world.has(type) && fence.hasLooked(type, accountId))
      fence.adopt(type, accountId, await listAsSent(subject.selectType(type), accountId));
}

/**
 * Lists all objects of an account, with the texts that checks gave in place of those that were
 * sent.
 */
async function listAsSent(subject: Subject, accountId: string): Promise<readonly Item[]> {
  const items = await subject.listAll(accountId);
  const standIns = subject.server.standIns.get(subject.type);
  if (standIns === undefined) return items;
  const { property } = standIns;
  return items.map((item) => {
    const text = item[property];
    return typeof text === 'string' ? { ...item, [property]: standIns.toWire(text) } : item;
  });
}
