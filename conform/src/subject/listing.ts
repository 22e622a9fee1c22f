import type { Client } from '../client/client.js';
import { requireForm } from '../client/forms.js';
import type { Item } from '../client/json.js';
import { UnexpectedError } from '../unexpected.js';
import type { Subject } from './subject.js';

/** How a run finds the objects of a type: not every /get takes `ids: null` (RFC 8620 5.1). */

/** With more objects of others each check would list them over and over. */
export const MOST_BESIDE = 500;

/**
 * `all`: by one /get. `query`: by ids that /query tells. `own`: what the run made, and nothing
 * else.
 */
type Way = 'all' | 'query' | 'own';

/** The ways of one server, found out as its types are listed. */
export class Listings {
  readonly #ways = new Map<string, Way>();

  /** Returns the way by which the objects of a type in an account can be listed. */
  findWay(type: string, accountId: string): Way {
    return this.#ways.get(`${type} ${accountId}`) ?? 'all';
  }

  /** Keeps the way that worked, so that it is found out once. */
  keepWay(type: string, accountId: string, way: Way): void {
    this.#ways.set(`${type} ${accountId}`, way);
  }
}

/** Errors by which a server says that it doesn't list all objects. */
const REFUSALS: ReadonlySet<unknown> = new Set(['requestTooLarge', 'invalidArguments']);

/**
 * Returns all objects of an account, or those that the run made where the others can't be listed.
 */
export async function listObjects(subject: Subject, accountId: string): Promise<Item[]> {
  const { server, type, profile } = subject;
  const { listings, fence } = server;
  const client = server.findReader(accountId).buildClient(profile.capability);
  const way = listings.findWay(type, accountId);
  if (way === 'all') {
    const [name, answer] = await client.call(`${type}/get`, { accountId, ids: null });
    if (name !== 'error') {
      const { list } = requireForm(name, answer) as unknown as { list: Item[] };
      const foreign = list.filter(({ id }) => !fence.isOwn(type, accountId, id));
      if (foreign.length <= MOST_BESIDE || profile.singleton) return list;
    } else if (!REFUSALS.has(answer['type'])) {
      throw new UnexpectedError(`${type}/get answers ${JSON.stringify(answer)}.`);
    }
    const isShort = name === 'error' && subject.has('query');
    listings.keepWay(type, accountId, isShort ? 'query' : 'own');
    return await listObjects(subject, accountId);
  }
  if (way === 'own')
    return await getObjects(subject, client, accountId, fence.listMade(type, accountId));
  const ids = await queryIds(subject, client, accountId);
  if (ids !== null) return await getObjects(subject, client, accountId, ids);
  listings.keepWay(type, accountId, 'own');
  return await listObjects(subject, accountId);
}

/** Returns all ids that /query tells; null where there are too many, or where it fails. */
async function queryIds(
  { type, server }: Subject,
  client: Client,
  accountId: string,
): Promise<readonly string[] | null> {
  const ids = new Set<string>();
  const most = MOST_BESIDE + server.fence.listMade(type, accountId).length;
  for (;;) {
    const { size } = ids;
    const [name, answer] = await client.call(`${type}/query`, { accountId, position: size });
    if (name === 'error') return null;
    for (const id of requireForm(name, answer)['ids'] as string[]) ids.add(id);
    if (ids.size > most) return null;
    if (ids.size === size) return [...ids];
  }
}

/** Returns objects by their ids, as many in a call as the session allows. */
async function getObjects(
  { type, server }: Subject,
  client: Client,
  accountId: string,
  ids: readonly string[],
): Promise<Item[]> {
  const most = Math.max(1, server.user.session.readLimit('maxObjectsInGet'));
  const items: Item[] = [];
  for (let at = 0; at < ids.length; at += most) {
    const some = ids.slice(at, at + most);
    items.push(...(await client.get(type, { accountId, ids: some })).list);
  }
  return items;
}
