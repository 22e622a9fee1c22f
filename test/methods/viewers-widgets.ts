import { expect } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import type { DataTypeDefinition, RuleCondition } from '../../src/capability/definition.js';
import type { Random } from '../support/random.js';
import { property } from './gadget.js';
import { withOwn } from './own-values.js';
import { type Json, type Logic, Rig, U1 } from './rig.js';
import { USERS } from './shared-folders.js';
import { followWorld, Shares, viewer, type World } from './viewers.js';
import { GROUP_ROWS, GROUPS, Groups } from './viewers-groups.js';
import { Widget } from './widget.js';

const RULES: readonly AccessRule[] = [
  { who: { kind: 'property', property: 'tags' }, read: true },
  { who: { kind: 'share', right: 'mayRead' }, read: true },
  { who: { kind: 'role', role: 'auditor' }, where: [at(1, 2)], read: true },
  { who: { kind: 'everyone' }, where: [at(3)], read: true },
];
/** Each user who sees a widget has a mark of its own there. */
const OWNED = withOwn(Widget, property('mark', 'integer', { default: 0, perUser: true }));
const RULED: DataTypeDefinition = { ...OWNED, access: RULES };

/** Returns the condition that the rank is one of these. */
function at(...ranks: readonly number[]): RuleCondition {
  return { property: 'rankNumber', values: ranks };
}

/** The users who see parts of the widgets. */
const NAMES = ['u2', 'u3', 'u4'];
const TITLES = ['a', 'b', 'c', 'd'];

/** Widgets that users see by what they hold, and by shares. */
class Widgets implements World {
  readonly rig: Rig;
  readonly random: Random;
  /** The last one is the owner, who sees all. */
  readonly viewers = [...[viewer('u2'), viewer('u3', ['auditor']), viewer('u3'), viewer('u4'), U1]];
  readonly queries = { Widget: [{}, { filter: { minRank: 2 }, sort: [{ property: 'title' }] }] };
  readonly #live: string[] = [];
  readonly #shares: Shares;
  readonly #groups: Groups;
  /** All users see all widgets. */
  readonly #isOpen: boolean;
  /** By user: the marks that it has made, by the ids of widgets. */
  readonly #marks = new Map<string, Map<string, number>>();

  constructor(rig: Rig, random: Random, isOpen: boolean) {
    this.rig = rig;
    this.random = random;
    this.#isOpen = isOpen;
    this.#shares = new Shares(rig, ['Widget']);
    this.#groups = new Groups(rig);
  }

  async change(): Promise<void> {
    for (let count = this.random.integer(1, 4); count > 0; count -= 1) {
      if (this.random.chance(0.4) && this.#live.length > 0) await this.#mark();
      else if (this.random.chance(0.2)) await this.#groups.move(this.random, NAMES);
      else if (this.random.chance(0.35) && this.#live.length > 0) await this.#share();
      else await this.#write();
    }
  }

  /** Has a user mark widgets that it sees; the owner may change their titles along with that. */
  async #mark(): Promise<void> {
    const { random } = this;
    const user = random.pick(this.viewers);
    const seen = (await this.expected(user)).filter(() => random.chance(0.4));
    const marks = this.#marks.get(user.userId) ?? new Map<string, number>();
    this.#marks.set(user.userId, marks);
    const update = Object.fromEntries(
      seen.map((id) => {
        const mark = random.integer(0, 3);
        marks.set(id, mark);
        const isMixed = user === U1 && random.chance(0.3);
        return [id, isMixed ? { mark, title: random.pick(TITLES) } : { mark }];
      }),
    );
    const response = await this.rig.call('Widget/set', { update }, { user });
    expect(Object.keys(response.updated ?? {}).sort()).toEqual([...seen].sort());
  }

  /** Each user reads the marks of its own. */
  async check({ userId }: Principal, _: string, view: ReadonlyMap<string, Json>): Promise<void> {
    for (const [id, { mark }] of view) expect(mark, id).toBe(this.#marks.get(userId)?.get(id) ?? 0);
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
    const named = [...NAMES, ...GROUPS].filter(() => random.chance(0.2));
    const tags = Object.fromEntries(named.map((userId) => [userId, true]));
    return { title: random.pick(TITLES), rankNumber: random.integer(0, 4), tags };
  }

  async #share(): Promise<void> {
    const { random } = this;
    const principalId = random.pick([...NAMES, ...GROUPS]);
    const ids = this.#live.filter(() => random.chance(0.3));
    await this.#shares.toggle(principalId, ids.map(shareOf));
  }

  async expected({ userId, roles }: Principal): Promise<readonly string[]> {
    if (this.#isOpen || userId === U1.userId) return this.#live;
    const { list } = await this.rig.call('Widget/get', {});
    const principals = this.#groups.principalsOf(userId);
    return list.flatMap(({ id, tags, rankNumber }: Json) => {
      const isNamed = principals.some((principal) => tags[principal] === true);
      const isShared = principals.some((principal) => this.#shares.has(principal, shareOf(id)));
      const isAudited = roles.includes('auditor') && [1, 2].includes(rankNumber);
      return isNamed || isShared || isAudited || rankNumber === 3 ? [id] : [];
    });
  }
}

function shareOf(id: string): string {
  return `Widget:${id}/mayRead`;
}

/** Follows widgets that change at random. */
export function runTrace(random: Random, steps: number, logic: Logic = {}): Promise<void> {
  return run(random, steps, { ...logic, widget: RULED });
}

/** Follows widgets that all users see, each with marks of its own. */
export function runOpen(random: Random, steps: number, logic: Logic = {}): Promise<void> {
  return run(random, steps, { ...logic, widget: OWNED });
}

async function run(random: Random, steps: number, logic: Logic): Promise<void> {
  const rig = new Rig({}, logic);
  if (logic.store === undefined) for (const rows of [USERS, GROUP_ROWS]) rig.run(rows);
  try {
    await followWorld(new Widgets(rig, random, logic.widget === OWNED), steps);
  } finally {
    await rig.close();
  }
}
