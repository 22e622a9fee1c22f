import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { QueryAnswer } from '../client/answers.js';
import type { Item } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { Random } from '../random.js';
import { listIds, type Query, spliceChanges } from '../subject/queries.js';
import { type Sharing, type View, withSharing } from '../subject/sharing.js';
import { buildMutableQueries } from './query-follow.js';

/**
 * RFC 8620 5.2 and 5.6 for a user who sees some objects: an old view and the changes since lead to
 * the new view. Between them objects are shared, revoked, changed and destroyed. The run's seed
 * repeats everything random.
 */

const NEEDS = { methods: ['get', 'set', 'changes'], text: true, room: 14 } as const;

/** Random acts of the owner. */
const ACTS = 12;

/** A user's copy of some time. */
interface Kept {
  readonly state: string;
  readonly view: View;
  readonly queries: readonly { readonly args: Query; readonly answer: QueryAnswer }[];
}

/** Compares two objects by their ids: /changes tells no order. */
const compareIds = (a: Item, b: Item): number => (a.id < b.id ? -1 : 1);

/** The owner of objects, who shares some of them. */
class Owner {
  readonly #sharing: Sharing;
  readonly #random: Random;
  /** The objects that are there, each with whether the other user sees it. */
  readonly #there = new Map<string, boolean>();
  /** All ids that the other user ever saw. */
  readonly seen = new Set<string>();
  #made = 0;

  constructor(sharing: Sharing, random: Random, door: string) {
    this.#sharing = sharing;
    this.#random = random;
    this.seen.add(door);
  }

  /** Does something with one object: makes, shares, revokes, changes or destroys it. */
  async act(): Promise<void> {
    const ids = [...this.#there.keys()];
    if (ids.length < 3 || (this.#made < ACTS && this.#random.chance(0.3))) return this.#make();
    const id = this.#random.pick(ids);
    if (this.#random.chance(0.25)) return this.#change(id);
    if (this.#random.chance(0.2)) return this.#destroy(id);
    return this.#there.get(id) === true ? this.#revoke(id) : this.#share(id);
  }

  async #make(): Promise<void> {
    const { subject, accountId } = this.#sharing;
    this.#made += 1;
    const id = await subject.makeOne(accountId, `object ${this.#made}`);
    this.#there.set(id, false);
    if (this.#random.chance(0.5)) await this.#share(id);
  }

  async #share(id: string): Promise<void> {
    const { all, least } = this.#sharing;
    await this.#sharing.share(id, this.#random.chance(0.5) ? all : least);
    this.#there.set(id, true);
    this.seen.add(id);
  }

  async #revoke(id: string): Promise<void> {
    if (this.#random.chance(0.3)) return this.#share(id);
    await this.#sharing.revoke(id);
    this.#there.set(id, false);
  }

  async #change(id: string): Promise<void> {
    const { subject } = this.#sharing;
    const text = `object ${this.#random.integer(0, 99)} changed`;
    await subject.set({ update: { [id]: { [subject.profile.text]: text } } });
  }

  async #destroy(id: string): Promise<void> {
    await this.#sharing.subject.set({ destroy: [id] });
    this.#there.delete(id);
  }
}

/** Returns what the other user sees now, with the results of its queries. */
async function keep(sharing: Sharing, queries: readonly Query[]): Promise<Kept> {
  const { accountId, client, subject } = sharing;
  const answers: Kept['queries'][number][] = [];
  for (const args of queries)
    answers.push({ args, answer: await client.query(subject.type, { accountId, ...args }) });
  return { ...(await sharing.look()), queries: answers };
}

/** Does random acts. Returns what the other user kept on the way, the oldest first. */
async function live(
  sharing: Sharing,
  owner: Owner,
  random: Random,
  queries: readonly Query[] = [],
): Promise<readonly Kept[]> {
  const kept = [await keep(sharing, queries)];
  for (let done = 0; done < ACTS; done += 1) {
    await owner.act();
    if (random.chance(0.4)) kept.push(await keep(sharing, queries));
  }
  return kept;
}

/** Applies pages of /changes to an old view. Returns the ids that they name. */
async function follow(sharing: Sharing, view: View, since: string): Promise<readonly string[]> {
  const { accountId, client, subject } = sharing;
  const named: string[] = [];
  for (let state = since; ; ) {
    const page = await sharing.changes(state, { maxChanges: 1 });
    named.push(...listIds(page));
    for (const id of page.destroyed) view.delete(id);
    const ids = [...page.created, ...page.updated];
    const { list, notFound } = await client.get(subject.type, { accountId, ids });
    for (const item of list) view.set(item.id, item);
    for (const id of notFound) view.delete(id);
    if (!page.hasMoreChanges) return named;
    expect(page.newState).not.toBe(state);
    state = page.newState;
  }
}

export const followedViewChecks = [
  ...typeChecks('5.2', NEEDS, [
    {
      id: 'view-pages',
      level: 'must',
      rule:
        'Pages of /changes with one id each lead from any old view of a user to the new one, ' +
        'however objects are shared, revoked, changed and destroyed.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const random = new Random(subject.server.seed);
        const kept = await live(sharing, new Owner(sharing, random, door), random);
        const now = [...(await sharing.look()).view.values()].sort(compareIds);
        for (const { state, view } of kept) {
          await follow(sharing, view, state);
          const then = [...view.values()].sort(compareIds);
          expect({ seed: random.seed, view: then }).toEqual({ seed: random.seed, view: now });
        }
      }),
    },
    {
      id: 'view-names-seen',
      level: 'should',
      rule: '/changes names no object that the user never saw.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const random = new Random(subject.server.seed + 1);
        const owner = new Owner(sharing, random, door);
        const kept = await live(sharing, owner, random);
        for (const { state, view } of kept) {
          const named = await follow(sharing, view, state);
          expect(named.filter((id) => !owner.seen.has(id))).toEqual([]);
        }
      }),
    },
  ]),
  ...typeChecks('5.6', { ...NEEDS, methods: ['get', 'set', 'changes', 'query', 'queryChanges'] }, [
    {
      id: 'view-query-changes',
      level: 'must',
      rule:
        '/queryChanges leads from any old list of a user to the new one, however objects are ' +
        'shared, revoked, changed and destroyed.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const random = new Random(subject.server.seed + 2);
        const queries = [{}, ...buildMutableQueries(subject, 'object')];
        const kept = await live(sharing, new Owner(sharing, random, door), random, queries);
        const { accountId, client } = sharing;
        for (const { args, answer } of kept.flatMap((one) => one.queries)) {
          if (!answer.canCalculateChanges)
            throw new NotApplicable('Changes of the query can’t be calculated.');
          const since = { accountId, ...args, sinceQueryState: answer.queryState };
          const changes = await client.queryChanges(subject.type, since);
          const { ids } = await client.query(subject.type, { accountId, ...args });
          const found = spliceChanges(answer.ids, changes);
          expect({ seed: random.seed, args, ids: found }).toEqual({
            ...{ seed: random.seed, args, ids },
          });
        }
      }),
    },
  ]),
];
