import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import { type Json, Rig, U1 } from './rig.js';
import { sharedFolders, USERS } from './shared-folders.js';
import { viewer } from './viewers.js';
import { USING } from './viewers-tree.js';

// A user with three rights at each of 11,000 folders: more scopes than SQLite takes parameters.

const FOLDERS = 11_000;
const ALL = { mayRead: true, mayWrite: true, mayAdmin: true };
const MANY = viewer('u2');
const ONE = viewer('u3');

let rig: Rig;
let shared = '';

const call = (name: string, args: object, user: Principal = U1): Promise<Json> =>
  rig.call(name, args, { using: USING, user });

beforeAll(async () => {
  rig = new Rig({ maxObjectsInSet: 500 }, { more: sharedFolders() });
  rig.run(USERS);
  for (let made = 0; made < FOLDERS; made += 500) {
    const entries = Array.from({ length: 500 }, (_, n) => [`k${n}`, { shareWith: { u2: ALL } }]);
    const { notCreated } = await call('Folder/set', { create: Object.fromEntries(entries) });
    expect(notCreated ?? null).toBeNull();
  }
  const shareWith = { u2: ALL, u3: ALL };
  const { created } = await call('Folder/set', { create: { k: { shareWith } } });
  shared = created['k'].id;
});
afterAll(() => rig.close());

describe('a user of very many shares', () => {
  it('has all of them', async () => {
    const [{ scopes }] = rig.rows(
      `SELECT count(*) AS "scopes" FROM "JmapGrant" WHERE "principalId" = 'u2'`,
    ) as unknown as [{ readonly scopes: number }];
    expect(scopes).toBeGreaterThan(32_766);
    expect(await call('Folder/query', { calculateTotal: true, limit: 1 }, MANY)).toMatchObject({
      total: FOLDERS + 1,
    });
  });

  it('reads, follows and writes by as many statements as a user of one', async () => {
    const costs: number[][] = [];
    for (const user of [ONE, MANY]) {
      const { state } = await call('Folder/get', { ids: [] }, user);
      const { queryState } = await call('Folder/query', { limit: 1 }, user);
      await call('Folder/set', { update: { [shared]: { name: `for ${user.userId}` } } });
      const cost = async (name: string, args: object): Promise<number> => {
        const before = rig.statements.length;
        const answer = await call(name, args, user);
        expect([name, answer.error, answer.notUpdated ?? null]).toEqual([name, undefined, null]);
        return rig.statements.length - before;
      };
      const { updated } = await call('Folder/changes', { sinceState: state }, user);
      expect(updated).toEqual([shared]);
      costs.push([
        await cost('Folder/get', { ids: [shared], properties: ['name', 'myRights'] }),
        await cost('Folder/query', { limit: 1 }),
        await cost('Folder/changes', { sinceState: state }),
        await cost('Folder/queryChanges', { sinceQueryState: queryState }),
        await cost('Folder/set', { update: { [shared]: { name: `of ${user.userId}` } } }),
      ]);
    }
    expect(costs[1]).toEqual(costs[0]);
    for (const count of costs[0] ?? []) expect(count).toBeLessThan(30);
  });
});
