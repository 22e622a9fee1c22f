import { expect } from 'vitest';
import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import type { AccessChange } from '../../src/store/port.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import type { Random } from '../support/random.js';
import type { Json, Rig } from './rig.js';

/**
 * Users who see a part of some types by access rules. For each user and each old state, the old
 * view and all pages of /changes make the present view. An old result and /queryChanges make the
 * present result. Nobody is told of an object that was never in the view.
 */

/** An account whose objects change at random. */
export interface World {
  readonly rig: Rig;
  readonly random: Random;
  /** The capabilities of the calls; those of the rig if absent. */
  readonly using?: readonly string[];
  readonly viewers: readonly Principal[];
  /** By the name of each type: what its users ask for. */
  readonly queries: Readonly<Record<string, readonly object[]>>;
  /** Makes a few changes at random. */
  change(): Promise<void>;
  /** Returns the ids that a user may see, by the rules as a person reads them. */
  expected(user: Principal, type: string): Promise<readonly string[]>;
  /** Compares the objects that a user reads with what the rules give it. */
  check?(user: Principal, type: string, view: ReadonlyMap<string, Json>): Promise<void>;
}

export function viewer(userId: string, roles: readonly string[] = []): Principal {
  const account: AccountAccess = {
    ...{ id: 'a1', name: 'a1', isPersonal: false, isReadOnly: false, capabilities: null },
  };
  return { ...tokenPrincipal(userId, `t-${userId}`, new Map([['a1', account]])), roles };
}

/** The shares of an account, which change as a write of `shareWith` would change them. */
export class Shares {
  readonly #rig: Rig;
  /** The names of the types whose objects the scopes concern. */
  readonly #types: readonly string[];
  readonly #given = new Set<string>();

  constructor(rig: Rig, types: readonly string[]) {
    this.#rig = rig;
    this.#types = types;
  }

  has(principalId: string, scope: string): boolean {
    return this.#given.has(`${principalId} ${scope}`);
  }

  /** Gives a user those of the scopes that it lacks, and takes the others back. */
  async toggle(principalId: string, scopes: readonly string[]): Promise<void> {
    const taken = scopes.filter((scope) => this.has(principalId, scope));
    const given = scopes.filter((scope) => !this.has(principalId, scope));
    for (const scope of taken) this.#given.delete(`${principalId} ${scope}`);
    for (const scope of given) this.#given.add(`${principalId} ${scope}`);
    const grants = (list: readonly string[]) => list.map((scope) => ({ principalId, scope }));
    const changes: AccessChange[] = [
      ...(taken.length > 0 ? [{ kind: 'taken', principalId, scopes: taken } as const] : []),
      ...(given.length > 0 ? [{ kind: 'given', principalId, scopes: given } as const] : []),
    ];
    if (changes.length === 0) return;
    const deadline = performance.now() + 60_000;
    const { store, registry } = this.#rig.services;
    await store.write('a1', { deadline }, async (transaction) => {
      const types = this.#types.flatMap((name) => registry.dataTypes.get(name) ?? []);
      for (const type of types) await transaction.stateNumber(type);
      await transaction.changeGrants(grants(taken), grants(given));
      for (const type of types) await transaction.recordAccess(type, changes);
    });
  }
}

/** The view that a user has of a type at a state. */
interface Past {
  readonly state: string;
  readonly view: ReadonlyMap<string, Json>;
  readonly queries: readonly { readonly state: string; readonly ids: readonly string[] }[];
}

/** A user's view of a type, to be followed. */
interface Watch {
  readonly world: World;
  readonly user: Principal;
  readonly type: string;
}

/** One call of the user. */
function ask({ world, user, type }: Watch, verb: string, args: object): Promise<Json> {
  const { rig, using } = world;
  return rig.call(`${type}/${verb}`, args, { user, ...(using !== undefined && { using }) });
}

async function look(watch: Watch): Promise<Past> {
  const { world, type } = watch;
  const all = await ask(watch, 'get', {});
  const view = new Map<string, Json>(all.list.map((object: Json) => [object.id, object]));
  const queries = [];
  for (const query of world.queries[type] ?? []) {
    const asked = { ...query, calculateTotal: true };
    const { queryState, ids, total } = await ask(watch, 'query', asked);
    expect(total).toBe(ids.length);
    queries.push({ state: queryState, ids });
  }
  return { state: all.state, view, queries };
}

/**
 * Returns the view that a client has which goes on from a past one. `between`: happens between two
 * pages.
 */
async function synchronise(
  watch: Watch,
  past: Past,
  maxChanges: number,
  between: () => Promise<void> = async () => undefined,
): Promise<{ readonly view: ReadonlyMap<string, Json>; readonly state: string }> {
  const view = new Map(past.view);
  let { state } = past;
  for (let pages = 0; pages < 1000; pages += 1) {
    const asked = { sinceState: state, maxChanges };
    const changes = await ask(watch, 'changes', asked);
    expect(changes.error, changes.description).toBeUndefined();
    const { created, updated, destroyed } = changes;
    expect(created.length + updated.length + destroyed.length).toBeLessThanOrEqual(maxChanges);
    for (const id of created) expect(view.has(id), `${id} is new`).toBe(false);
    for (const id of [...updated, ...destroyed]) expect(view.has(id), `${id} is known`).toBe(true);
    for (const id of destroyed) view.delete(id);
    const ids = [...created, ...updated];
    const got = await ask(watch, 'get', { ids });
    for (const object of got.list) view.set(object.id, object);
    // It has left the view since: a later page says so.
    for (const id of got.notFound) view.set(id, null);
    state = changes.newState;
    if (!changes.hasMoreChanges) return { view, state };
    await between();
  }
  throw new Error(`/changes has no end.`);
}

function splice(ids: readonly string[], { removed, added }: Json): readonly string[] {
  const left = ids.filter((id) => !removed.includes(id));
  for (const { id, index } of added) left.splice(index, 0, id);
  return left;
}

/** Makes changes at random, and follows them as each user would from each of its old states. */
export async function followWorld(world: World, steps: number): Promise<void> {
  const { random, viewers } = world;
  const watches = viewers.flatMap((user) =>
    Object.keys(world.queries).map((type) => ({ world, user, type, pasts: [] as Past[] })),
  );
  for (let step = 0; step < steps; step += 1) {
    await world.change();
    for (const { pasts, ...watch } of watches) {
      const now = await look(watch);
      const expected = await world.expected(watch.user, watch.type);
      expect([...now.view.keys()].sort(), watch.type).toEqual([...expected].sort());
      await world.check?.(watch.user, watch.type, now.view);
      const few = pasts.filter(() => random.chance(3 / pasts.length));
      for (const past of few) await followFrom(past, now, watch);
      pasts.push(now);
    }
    const { pasts, ...watch } = random.pick(watches);
    await followWrites(random.pick(pasts), watch);
  }
}

/** Follows a user who reads pages while others write. */
async function followWrites(past: Past, watch: Watch): Promise<void> {
  const { world } = watch;
  let writes = 2;
  const found = await synchronise(watch, past, world.random.pick([1, 2]), async () => {
    writes -= 1;
    if (writes >= 0) await world.change();
  });
  const now = await look(watch);
  expect(Object.fromEntries(found.view)).toEqual(Object.fromEntries(now.view));
  expect(found.state).toBe(now.state);
}

async function followFrom(past: Past, now: Past, watch: Watch): Promise<void> {
  const { world, type } = watch;
  const found = await synchronise(watch, past, world.random.pick([1, 2, 50]));
  expect(Object.fromEntries(found.view)).toEqual(Object.fromEntries(now.view));
  expect(found.state).toBe(now.state);
  for (const [at, query] of (world.queries[type] ?? []).entries()) {
    const { state, ids } = past.queries[at] as Past['queries'][number];
    const asked = { ...query, sinceQueryState: state };
    const changes = await ask(watch, 'queryChanges', asked);
    expect(changes.error, changes.description).toBeUndefined();
    for (const id of changes.removed) expect(past.view.has(id), `${id} was visible`).toBe(true);
    expect(splice(ids, changes)).toEqual(now.queries[at]?.ids);
    expect(changes.newQueryState).toBe(now.queries[at]?.state);
  }
}
