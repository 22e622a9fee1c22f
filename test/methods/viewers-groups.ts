import { scopedTablesIn } from '../../src/access/shared-types.js';
import { addMember, removeMember } from '../../src/accounts/index.js';
import type { Random } from '../support/random.js';
import type { Rig } from './rig.js';

/** The groups of the tests. */
export const GROUPS = ['g1', 'g2'] as const;

/** SQL that makes the groups. */
export const GROUP_ROWS = `INSERT INTO "JmapGroup" ("id", "name", "created")
  VALUES ${GROUPS.map((id) => `('${id}', '${id}', 1)`).join(', ')}`;

/** Groups that users join and leave, as commands have them do. */
export class Groups {
  readonly #rig: Rig;
  readonly #members = new Set<string>();

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  /** Returns the user and its groups. */
  principalsOf(userId: string): readonly string[] {
    return [userId, ...GROUPS.filter((id) => this.#members.has(`${userId} ${id}`))];
  }

  /** Has one of the users join one of the groups, or leave it. */
  async move(random: Random, userIds: readonly string[]): Promise<void> {
    const [user, group] = [random.pick(userIds), random.pick(GROUPS)];
    const { dataTypes, relations } = this.#rig.services.registry;
    const tables = scopedTablesIn(dataTypes, relations.viewRules.sharedTables);
    const key = `${user} ${group}`;
    const isMember = this.#members.delete(key);
    if (!isMember) this.#members.add(key);
    const change = isMember ? removeMember : addMember;
    await change(this.#rig.engine(), tables, { user, group });
  }
}
