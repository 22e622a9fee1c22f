import { expect } from 'vitest';
import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import type { DataTypeDefinition, RuleCondition } from '../../src/capability/definition.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import type { Random } from '../support/random.js';
import { type Json, type Logic, Rig } from './rig.js';
import { Widget } from './widget.js';

/**
 * Users who see a part of a type by access rules. For each user and each old state,
 * the old view and all pages of /changes make the present view. An old result and /queryChanges
 * make the present result. Nobody is told of an object that was never in the view.
 */

const RULES: readonly AccessRule[] = [
  { who: { kind: 'property', property: 'tags' }, read: true },
  { who: { kind: 'share', right: 'mayRead' }, read: true },
  { who: { kind: 'role', role: 'auditor' }, where: [at(1, 2)], read: true },
  { who: { kind: 'everyone' }, where: [at(3)], read: true },
];
const RULED: DataTypeDefinition = { ...Widget, access: RULES };

/** Returns the condition that the rank is one of these. */
function at(...ranks: readonly number[]): RuleCondition {
  return { property: 'rankNumber', values: ranks };
}

function viewer(userId: string, roles: readonly string[] = []): Principal {
  const account: AccountAccess = {
    ...{ id: 'a1', name: 'a1', isPersonal: false, isReadOnly: false, capabilities: null },
  };
  return { ...tokenPrincipal(userId, `t-${userId}`, new Map([['a1', account]])), roles };
}

const VIEWERS = [viewer('u2'), viewer('u3', ['auditor']), viewer('u4')];
const QUERIES = [{}, { filter: { minRank: 2 }, sort: [{ property: 'title' }] }];

/** The view of a user at a state. */
interface Past {
  readonly state: string;
  readonly view: ReadonlyMap<string, Json>;
  readonly queries: readonly { readonly state: string; readonly ids: readonly string[] }[];
}

class Ruled {
  readonly rig: Rig;
  readonly random: Random;
  readonly pasts = new Map<Principal, Past[]>(VIEWERS.map((user) => [user, []]));
  readonly #live: string[] = [];
  readonly #shares = new Set<string>();

  constructor(rig: Rig, random: Random) {
    this.rig = rig;
    this.random = random;
  }

  /** Makes a few changes at random. */
  async change(): Promise<void> {
    for (let count = this.random.integer(1, 4); count > 0; count -= 1) {
      if (this.random.chance(0.35) && this.#live.length > 0) await this.#share();
      else await this.#write();
    }
  }

  async #write(): Promise<void> {
    const { random } = this;
    const create = Object.fromEntries(
      Array.from({ length: random.integer(0, 3) }, (_, n) => [`k${n}`, this.#draw()]),
    );
    const destroy = this.#live.filter(() => random.chance(0.1));
    const update = Object.fromEntries(
      this.#live
        .filter((id) => !destroy.includes(id) && random.chance(0.3))
        .map((id) => [id, random.chance(0.6) ? this.#draw() : { title: random.pick(TITLES) }]),
    );
    const response = await this.rig.call('Widget/set', { create, update, destroy });
    expect([response.notCreated, response.notUpdated, response.notDestroyed]).toEqual([
      ...[null, null, null],
    ]);
    const made = Object.values<Json>(response.created ?? {}).map(({ id }) => id);
    for (const id of destroy) this.#live.splice(this.#live.indexOf(id), 1);
    this.#live.push(...made);
  }

  #draw(): object {
    const { random } = this;
    const named = VIEWERS.filter(() => random.chance(0.25)).map(({ userId }) => [userId, true]);
    const rankNumber = random.integer(0, 4);
    return { title: random.pick(TITLES), rankNumber, tags: Object.fromEntries(named) };
  }

  /** Shares objects with a user, or takes them back, as a write of `shareWith` would. */
  async #share(): Promise<void> {
    const { random } = this;
    const principalId = random.pick(VIEWERS).userId;
    const ids = this.#live.filter(() => random.chance(0.3));
    const scopes = ids.map((id) => `Widget:${id}/mayRead`);
    const isShared = (scope: string): boolean => this.#shares.has(`${principalId} ${scope}`);
    const [taken, given] = [scopes.filter(isShared), scopes.filter((scope) => !isShared(scope))];
    for (const scope of taken) this.#shares.delete(`${principalId} ${scope}`);
    for (const scope of given) this.#shares.add(`${principalId} ${scope}`);
    const grants = (list: readonly string[]) => list.map((scope) => ({ principalId, scope }));
    const changes = [
      ...(taken.length > 0 ? [{ kind: 'taken', principalId, scopes: taken } as const] : []),
      ...(given.length > 0 ? [{ kind: 'given', principalId, scopes: given } as const] : []),
    ];
    if (changes.length === 0) return;
    const deadline = performance.now() + 60_000;
    await this.rig.services.store.write('a1', { deadline }, async (transaction) => {
      await transaction.stateNumber(RULED);
      await transaction.changeGrants(grants(taken), grants(given));
      await transaction.recordAccess(RULED, changes);
    });
  }

  /** Returns the ids that a user may see, by the rules as a person reads them. */
  async expected({ userId, roles }: Principal): Promise<readonly string[]> {
    const { list } = await this.rig.call('Widget/get', {});
    return list.flatMap(({ id, tags, rankNumber }: Json) => {
      const isNamed = tags[userId] === true;
      const isShared = this.#shares.has(`${userId} Widget:${id}/mayRead`);
      const isAudited = roles.includes('auditor') && [1, 2].includes(rankNumber);
      return isNamed || isShared || isAudited || rankNumber === 3 ? [id] : [];
    });
  }

  async look(user: Principal): Promise<Past> {
    const all = await this.rig.call('Widget/get', {}, { user });
    const view = new Map<string, Json>(all.list.map((object: Json) => [object.id, object]));
    const queries = [];
    for (const query of QUERIES) {
      const asked = { ...query, calculateTotal: true };
      const { queryState, ids, total } = await this.rig.call('Widget/query', asked, { user });
      expect(total).toBe(ids.length);
      queries.push({ state: queryState, ids });
    }
    return { state: all.state, view, queries };
  }
}

const TITLES = ['a', 'b', 'c', 'd'];

/** Returns the view that a client has which goes on from a past one. */
async function synchronise(
  rig: Rig,
  user: Principal,
  past: Past,
  maxChanges: number,
): Promise<{ readonly view: ReadonlyMap<string, Json>; readonly state: string }> {
  const view = new Map(past.view);
  let { state } = past;
  for (let pages = 0; pages < 1000; pages += 1) {
    const asked = { sinceState: state, maxChanges };
    const changes = await rig.call('Widget/changes', asked, { user });
    expect(changes.error, changes.description).toBeUndefined();
    const { created, updated, destroyed } = changes;
    expect(created.length + updated.length + destroyed.length).toBeLessThanOrEqual(maxChanges);
    for (const id of created) expect(view.has(id), `${id} is new`).toBe(false);
    for (const id of [...updated, ...destroyed]) expect(view.has(id), `${id} is known`).toBe(true);
    for (const id of destroyed) view.delete(id);
    const ids = [...created, ...updated];
    const got = await rig.call('Widget/get', { ids }, { user });
    for (const object of got.list) view.set(object.id, object);
    // It has left the view since: a later page says so.
    for (const id of got.notFound) view.set(id, null);
    state = changes.newState;
    if (!changes.hasMoreChanges) return { view, state };
  }
  throw new Error(`/changes has no end.`);
}

function splice(ids: readonly string[], { removed, added }: Json): readonly string[] {
  const left = ids.filter((id) => !removed.includes(id));
  for (const { id, index } of added) left.splice(index, 0, id);
  return left;
}

/** Makes changes at random, and follows them as each user would from each of its old states. */
export async function runTrace(random: Random, steps: number, logic: Logic = {}): Promise<void> {
  const ruled = new Ruled(new Rig({}, { ...logic, widget: RULED }), random);
  try {
    for (let step = 0; step < steps; step += 1) {
      await ruled.change();
      for (const [user, pasts] of ruled.pasts) {
        const now = await ruled.look(user);
        expect([...now.view.keys()].sort()).toEqual([...(await ruled.expected(user))].sort());
        const few = pasts.filter(() => random.chance(3 / pasts.length));
        for (const past of few) await followFrom(past, now, user, ruled);
        pasts.push(now);
      }
    }
  } finally {
    await ruled.rig.close();
  }
}

async function followFrom(past: Past, now: Past, user: Principal, ruled: Ruled): Promise<void> {
  const { rig, random } = ruled;
  const found = await synchronise(rig, user, past, random.pick([1, 2, 50]));
  expect(Object.fromEntries(found.view)).toEqual(Object.fromEntries(now.view));
  expect(found.state).toBe(now.state);
  for (const [at, query] of QUERIES.entries()) {
    const { state, ids } = past.queries[at] as Past['queries'][number];
    const asked = { ...query, sinceQueryState: state };
    const changes = await rig.call('Widget/queryChanges', asked, { user });
    expect(changes.error, changes.description).toBeUndefined();
    for (const id of changes.removed) expect(past.view.has(id), `${id} was visible`).toBe(true);
    expect(splice(ids, changes)).toEqual(now.queries[at]?.ids);
    expect(changes.newQueryState).toBe(now.queries[at]?.state);
  }
}
