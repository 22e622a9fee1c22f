import { expect } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { AccessRule, AccessSubject } from '../../src/capability/access-rules.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../src/capability/definition.js';
import type { Validator } from '../../src/capability/validation.js';
import type { Random } from '../support/random.js';
import { methodsOf, property } from './gadget.js';
import { type Json, type Logic, Rig, U1 } from './rig.js';
import { followWorld } from './viewers.js';
import { GROUP_ROWS, GROUPS, Groups } from './viewers-groups.js';
import { Folders, folders, queriesOf, type Sharing, USING } from './viewers-tree.js';

/** Folders that their owners and others share by `shareWith` (RFC 9670 4). */

export const RIGHTS = ['mayRead', 'mayWrite', 'mayAdmin'] as const;

const MEMBERS: readonly PropertyDefinition[] = [
  property('shareWith', 'json', { role: 'shareWith', nullable: true, default: null }),
  property('myRights', 'json', { role: 'myRights', access: 'serverSet' }),
];

const holds = (right: string): readonly AccessSubject[] => [
  { kind: 'share', right },
  { kind: 'parent', reference: 'parentId', type: 'Folder', right },
];

/** A right at a folder holds for the folders in it. To share one takes a right that shows none. */
const RULES: readonly AccessRule[] = [
  ...holds('mayRead').map((who) => ({ who, read: true }) as const),
  ...holds('mayWrite').map(
    (who) => ({ who, update: ['name', 'parentId'], create: true, destroy: true }) as const,
  ),
  ...holds('mayAdmin').map((who) => ({ who, share: true }) as const),
];

/** The descriptor's validator doesn't know the property: the engine judges its values. */
function withoutShares(validator: Validator): Validator {
  const judge = Object.assign((data: unknown) => {
    const { shareWith: _, ...rest } = data as Record<string, unknown>;
    const isValid = validator(rest);
    judge.errors = validator.errors ?? null;
    return isValid;
  }, validator);
  return judge as Validator;
}

/** Makes a type of folders a shared one. */
function shared(type: DataTypeDefinition): DataTypeDefinition {
  if (type.name !== 'Folder') return type;
  return {
    ...type,
    properties: [...type.properties, ...MEMBERS],
    share: { rights: RIGHTS },
    validate: { ...type.validate, update: withoutShares(type.validate.update) },
  };
}

/** Types of which folders are shared. `rules`: of folders. */
export function sharedFolders(rules: readonly AccessRule[] = RULES): Required<Logic>['more'] {
  const { capability, tables } = folders({ Folder: rules });
  const dataTypes = capability.dataTypes.map(shared);
  const methods = dataTypes.flatMap((type) => [...methodsOf(type), ...queriesOf(type)]);
  return {
    capability: { ...capability, dataTypes, methods },
    tables: tables.replace('TABLE "Folder" (', 'TABLE "Folder" ("shareWith" JSONB, '),
  };
}

/** SQL that makes the users of the tests. */
export const USERS = `INSERT INTO "JmapUser" ("id", "name", "created")
  VALUES ${['u', 'u2', 'u3', 'u4'].map((id) => `('${id}', '${id}', 1)`).join(', ')}`;

/** Writes shares by /set: of the owner, or of a user who may or may not do so. */
class SharingBySet implements Sharing {
  readonly #rig: Rig;
  readonly #random: Random;
  readonly #groups: Groups;
  world: Folders | null = null;

  constructor(rig: Rig, random: Random) {
    this.#rig = rig;
    this.#random = random;
    this.#groups = new Groups(rig);
  }

  /** By itself, or by one of its groups. */
  has(userId: string, { shareWith }: Json, right: string): boolean {
    const principals = this.#groups.principalsOf(userId);
    return principals.some((id) => shareWith?.[id]?.[right] === true);
  }

  async change({ userId }: Principal, some: readonly Json[]): Promise<void> {
    const { world } = this;
    if (world === null) return;
    const random = this.#random;
    if (random.chance(0.3)) {
      const users = world.viewers.map((viewer) => viewer.userId).filter((id) => id !== U1.userId);
      return this.#groups.move(random, users);
    }
    const all = await world.list('Folder');
    const principalId = random.chance(0.4) ? random.pick(GROUPS) : userId;
    const actor = random.chance(0.5) ? random.pick(world.viewers) : U1;
    const update = Object.fromEntries(
      some.map((folder) => [folder.id, this.#draw(principalId, folder)] as const),
    );
    const settings = { using: USING, user: actor };
    const { updated, notUpdated } = await this.#rig.call('Folder/set', { update }, settings);
    const may = world.rights(actor, all);
    for (const { id, shareWith } of some) {
      if (actor === U1 || (may(id, 'mayRead') && may(id, 'mayAdmin'))) {
        expect(Object.keys(updated ?? {}), JSON.stringify(notUpdated)).toContain(id);
      } else {
        const type = may(id, 'mayRead') ? 'forbidden' : 'notFound';
        expect(notUpdated[id]?.type, JSON.stringify([shareWith, update[id]])).toBe(type);
      }
    }
  }

  /** Returns a patch that gives a user other rights. */
  #draw(userId: string, { shareWith }: Json): object {
    const random = this.#random;
    const chance = (right: string) => random.chance(right === 'mayRead' ? 0.8 : 0.4);
    const rights = Object.fromEntries(RIGHTS.map((right) => [right, chance(right)]));
    const known = shareWith?.[userId];
    if (known === undefined) return { shareWith: { ...shareWith, [userId]: rights } };
    if (random.chance(0.3)) return { [`shareWith/${userId}`]: null };
    const right = random.pick(RIGHTS);
    return { [`shareWith/${userId}/${right}`]: known[right] !== true };
  }
}

class SharedFolders extends Folders {
  override readonly shareChance = 0.6;

  /** Creates folders, each in another one or in none. */
  async begin(): Promise<void> {
    const folders = Array.from({ length: 6 }, (_, index) => {
      const parent = this.random.integer(-1, index - 1);
      return [`k${index}`, { name: 'a', parentId: parent < 0 ? null : `#k${parent}` }] as const;
    });
    const create = Object.fromEntries(folders);
    await this.rig.call('Folder/set', { create }, { using: this.using });
  }

  /** Each user has the rights that the owner's `shareWith` gives, and sees it by one of them. */
  async check(user: Principal, type: string, view: ReadonlyMap<string, Json>): Promise<void> {
    if (type !== 'Folder') return;
    const all = await this.list('Folder');
    const may = this.rights(user, all);
    for (const { id, shareWith } of all) {
      const seen = view.get(id);
      if (seen === undefined) continue;
      const myRights = Object.fromEntries(RIGHTS.map((right) => [right, may(id, right)]));
      expect(seen.myRights).toEqual(myRights);
      expect(seen.shareWith).toEqual(myRights['mayAdmin'] ? shareWith : null);
    }
  }
}

/** Follows folders that change at random, and whose shares are written by /set. */
export async function runShared(random: Random, steps: number, logic: Logic = {}): Promise<void> {
  const rig = new Rig({}, { ...logic, more: sharedFolders() });
  if (logic.store === undefined) for (const rows of [USERS, GROUP_ROWS]) rig.run(rows);
  const sharing = new SharingBySet(rig, random);
  const world = new SharedFolders(rig, random, sharing);
  sharing.world = world;
  try {
    await world.begin();
    await followWorld(world, steps);
  } finally {
    await rig.close();
  }
}
