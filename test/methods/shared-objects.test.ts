import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import type { TypeHooks } from '../../src/capability/hooks.js';
import { type Json, Rig, U1 } from './rig.js';
import { RIGHTS, sharedFolders, USERS } from './shared-folders.js';
import { viewer } from './viewers.js';
import { USING } from './viewers-tree.js';

// Objects are shared by `shareWith` (RFC 9670 4). The account's owner is u; u1 sees all of it.

const READER = viewer('u2');
const ADMIN = viewer('u3');
const STRANGER = viewer('u4');

const READ = { mayRead: true };
const ALL = { mayRead: true, mayWrite: true, mayAdmin: true };

let rig: Rig;

function open(rules?: readonly AccessRule[]): void {
  rig = new Rig({ maxCascade: 1000 }, { more: sharedFolders(rules) });
  rig.run(USERS);
}

beforeEach(() => open());
afterEach(() => rig.close());

const call = (name: string, args: object, user: Principal = U1): Promise<Json> =>
  rig.call(name, args, { using: USING, user });

async function create(object: object, type = 'Folder'): Promise<string> {
  const { created, notCreated } = await call(`${type}/set`, { create: { k: object } });
  expect(notCreated ?? null).toBeNull();
  return created['k'].id;
}

async function read(id: string, user: Principal = U1): Promise<Json> {
  const { list } = await call('Folder/get', { ids: [id] }, user);
  return list[0] ?? null;
}

async function update(id: string, patch: object, user: Principal = U1): Promise<Json> {
  const { updated, notUpdated } = await call('Folder/set', { update: { [id]: patch } }, user);
  return notUpdated?.[id] ?? { updated: updated[id] };
}

const grants = (): readonly Json[] =>
  rig.rows('SELECT "principalId", "scope" FROM "JmapGrant" ORDER BY 1, 2');

describe('the value of shareWith', () => {
  it.each<[string, Json, string]>([
    ['no map', 7, '"shareWith" must be a map of principals and their rights, or null.'],
    ['no rights', { u2: true }, '"shareWith" must give "u2" a map of rights.'],
    [
      'an unknown right',
      { u2: { mayFly: true } },
      '"shareWith" gives "u2" the unknown right "mayFly": the rights are ' +
        'mayRead, mayWrite, mayAdmin.',
    ],
    [
      'no Boolean',
      { u2: { mayRead: 1 } },
      '"shareWith" must give "u2" true or false for "mayRead".',
    ],
    [
      'nobody',
      { u9: READ },
      '"shareWith" names "u9", who is no user of this server or owns the account.',
    ],
    [
      'the owner of the account',
      { u: READ },
      '"shareWith" names "u", who is no user of this server or owns the account.',
    ],
    [
      'too many principals',
      Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`x${index}`, READ])),
      '"shareWith" has 501 principals: it takes 500 at most.',
    ],
  ])('refuses %s', async (_, shareWith, description) => {
    const error = { type: 'invalidProperties', properties: ['shareWith'], description };
    const { notCreated } = await call('Folder/set', { create: { k: { shareWith } } });
    expect(notCreated.k).toEqual(error);
    expect(await update(await create({}), { shareWith })).toEqual(error);
    expect(grants()).toEqual([]);
  });

  it('has no principal without a right, and null in the place of none', async () => {
    const shareWith = { u2: { mayRead: true, mayWrite: false }, u3: { mayRead: false }, u4: {} };
    const { created } = await call('Folder/set', { create: { k: { shareWith } } });
    const { id } = created.k;
    expect(created.k.shareWith).toEqual({ u2: { mayRead: true, mayWrite: false } });
    expect((await read(id)).shareWith).toEqual(created.k.shareWith);
    expect(await update(id, { 'shareWith/u2/mayRead': false })).toMatchObject({
      updated: { shareWith: null },
    });
    expect(grants()).toEqual([]);
    expect(await update(id, { shareWith: {} })).toEqual({ updated: { shareWith: null } });
  });

  it('takes patches of a principal and of a right', async () => {
    const id = await create({ shareWith: { u2: READ } });
    await update(id, { 'shareWith/u2/mayWrite': true, 'shareWith/u3': ALL });
    const scope = (right: string) => `Folder:${id}/${right}`;
    expect(grants()).toEqual([
      ...['mayRead', 'mayWrite'].map((right) => ({ principalId: 'u2', scope: scope(right) })),
      ...[...RIGHTS].sort().map((right) => ({ principalId: 'u3', scope: scope(right) })),
    ]);
    await update(id, { 'shareWith/u2': null });
    expect((await read(id)).shareWith).toEqual({ u3: ALL });
    await update(id, { 'shareWith/u3/mayRead': null });
    expect(grants().map((one) => one.scope)).toEqual([scope('mayAdmin'), scope('mayWrite')]);
  });

  it('may go on naming who is no user any more', async () => {
    const id = await create({ shareWith: { u2: READ } });
    rig.run(`DELETE FROM "JmapUser" WHERE "id" = 'u2'`);
    expect(await update(id, { 'shareWith/u3': READ })).toMatchObject({ updated: {} });
    expect(Object.keys((await read(id)).shareWith)).toEqual(['u2', 'u3']);
  });

  it('goes with the object, also where the object goes with another', async () => {
    const top = await create({ shareWith: { u2: READ } });
    const inner = await create({ parentId: top, shareWith: { u3: READ } });
    await create({ folderId: inner }, 'Paper');
    const { state } = await call('Paper/get', {}, ADMIN);
    await call('Folder/set', { destroy: [top] });
    expect(grants()).toEqual([]);
    const { destroyed } = await call('Paper/changes', { sinceState: state }, ADMIN);
    expect(destroyed).toHaveLength(1);
  });

  it('follows a hook that writes it, with the same rules', async () => {
    await rig.close();
    const { capability, tables } = sharedFolders();
    const folder = capability.dataTypes.find(({ name }) => name === 'Folder');
    const paper: TypeHooks = {
      async inTransaction({ created }: Json, _call, tx) {
        for (const { folderId, name } of created) {
          const update = { [folderId]: { shareWith: { [name]: READ, u2: { mayRead: false } } } };
          await tx.set(folder as never, { update });
        }
      },
    };
    const hooks = { types: { Paper: paper } };
    rig = new Rig({}, { more: { capability: { ...capability, hooks }, tables } });
    rig.run(USERS);
    const folderId = await create({});
    await create({ folderId, name: 'u4' }, 'Paper');
    expect((await read(folderId, STRANGER)).myRights.mayRead).toBe(true);
    expect((await read(folderId)).shareWith).toEqual({ u4: READ });
    const wrong = { create: { k: { folderId, name: 'u9' } } };
    expect((await call('Paper/set', wrong)).error).toBe('serverFail');
    expect((await read(folderId)).shareWith).toEqual({ u4: READ });
  });

  it('is null in a copy, unless the copy has its own', async () => {
    const id = await create({ name: 'a', shareWith: { u2: READ } });
    const copies = { k: { id }, l: { id, shareWith: { u3: READ } } };
    const args = { fromAccountId: 'a1', accountId: 'a2', create: copies };
    const { created } = await call('Folder/copy', args);
    expect(created.k.shareWith).toBeNull();
    const { list } = await call('Folder/get', { accountId: 'a2', properties: ['shareWith'] });
    expect(list.map((one: Json) => one.shareWith)).toEqual([null, { u3: READ }]);
    expect(grants().map(({ principalId }) => principalId)).toEqual(['u2', 'u3']);
  });
});

describe('myRights', () => {
  it('has all rights for the owner, and those of shares for others', async () => {
    const { created } = await call('Folder/set', { create: { k: { shareWith: { u2: READ } } } });
    const { id, myRights } = created.k;
    expect(myRights).toEqual(ALL);
    expect((await read(id)).myRights).toEqual(ALL);
    const inner = await create({ parentId: id, shareWith: { u2: { mayWrite: true } } });
    expect((await read(id, READER)).myRights).toEqual({
      ...{ mayRead: true, mayWrite: false, mayAdmin: false },
    });
    expect((await read(inner, READER)).myRights).toEqual({
      ...{ mayRead: true, mayWrite: true, mayAdmin: false },
    });
    expect(await read(id, STRANGER)).toBeNull();
  });

  it('is told where it changes, for objects within the shared one too', async () => {
    const id = await create({ shareWith: { u2: READ } });
    const inner = await create({ parentId: id });
    const { state } = await call('Folder/get', {}, READER);
    await update(id, { 'shareWith/u2/mayAdmin': true });
    const changes = await call('Folder/changes', { sinceState: state }, READER);
    expect(changes.updated.sort()).toEqual([id, inner].sort());
    expect(changes.updatedProperties).toBeNull();
    expect((await read(inner, READER)).myRights.mayAdmin).toBe(true);
  });

  it('takes its own value alone in an update, and none in a create', async () => {
    const id = await create({});
    const { myRights } = await read(id);
    expect(await update(id, { name: 'b', myRights })).toMatchObject({ updated: {} });
    const refused = { type: 'invalidProperties', properties: ['myRights'] };
    expect(await update(id, { myRights: { ...myRights, mayRead: false } })).toMatchObject(refused);
    const { notCreated } = await call('Folder/set', { create: { k: { myRights } } });
    expect(notCreated.k).toMatchObject(refused);
  });

  it('comes with what a user creates in a shared folder, and with what it moves', async () => {
    const top = await create({ shareWith: { u3: ALL } });
    const other = await create({ shareWith: { u3: { mayRead: true, mayWrite: true } } });
    const made = await call('Folder/set', { create: { k: { parentId: top } } }, ADMIN);
    expect(made.created.k.myRights).toEqual(ALL);
    const { id } = made.created.k;
    const { updated } = await update(id, { parentId: other }, ADMIN);
    expect(updated.myRights).toEqual({ ...ALL, mayAdmin: false });
    expect((await update(id, { name: 'x' }, ADMIN)).updated).not.toHaveProperty('myRights');
  });
});

describe('users who may share', () => {
  it('see and change with whom, and others read null', async () => {
    const id = await create({ shareWith: { u2: READ, u3: ALL } });
    expect((await read(id, ADMIN)).shareWith).toEqual({ u2: READ, u3: ALL });
    expect((await read(id, READER)).shareWith).toBeNull();
    expect(await update(id, { 'shareWith/u4': READ }, ADMIN)).toMatchObject({ updated: {} });
    expect((await read(id, STRANGER)).id).toBe(id);
  });

  it('alone get an answer that depends on it', async () => {
    const id = await create({ shareWith: { u2: READ, u3: ALL } });
    const patches = [
      { 'shareWith/u3/mayRead': true },
      { 'shareWith/u9/mayRead': true },
      { shareWith: { u2: READ, u3: ALL } },
    ];
    const answers = [];
    for (const patch of patches) answers.push(await update(id, patch, READER));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0].type).toBe('forbidden');
    // An object may be sent back as it was read.
    expect(await update(id, { shareWith: null }, READER)).toEqual({ updated: null });
    expect((await read(id)).shareWith).toEqual({ u2: READ, u3: ALL });
  });

  it('may create a shared object', async () => {
    const rights = { mayRead: true, mayWrite: true };
    const parentId = await create({ shareWith: { u2: rights, u3: ALL } });
    const args = { create: { k: { parentId, shareWith: { u4: READ } } } };
    const { notCreated } = await call('Folder/set', args, READER);
    expect(notCreated.k.type).toBe('forbidden');
    const { created } = await call('Folder/set', args, ADMIN);
    expect((await read(created.k.id, STRANGER)).shareWith).toBeNull();
  });

  it('may give up their own right', async () => {
    const id = await create({ shareWith: { u3: ALL } });
    const { state } = await call('Folder/get', {}, ADMIN);
    expect(await update(id, { shareWith: null }, ADMIN)).toMatchObject({ updated: {} });
    expect(await read(id, ADMIN)).toBeNull();
    const { destroyed } = await call('Folder/changes', { sinceState: state }, ADMIN);
    expect(destroyed).toEqual([id]);
  });

  it('are those who may write in the whole account, where a rule says so', async () => {
    await rig.close();
    open([
      {
        who: { kind: 'owner' },
        read: true,
        create: true,
        update: true,
        destroy: true,
        share: true,
      },
      { who: { kind: 'share', right: 'mayRead' }, read: true },
    ]);
    const id = await create({ shareWith: { u2: READ } });
    expect(await read(id, STRANGER)).toMatchObject({ myRights: ALL, shareWith: { u2: READ } });
    const { created } = await call('Folder/set', { create: { k: {} } }, STRANGER);
    expect(created.k.myRights).toEqual(ALL);
  });
});

describe('a share', () => {
  it('brings the object and what is in it, and takes both away', async () => {
    const id = await create({});
    const paper = await create({ folderId: id }, 'Paper');
    const { state } = await call('Paper/get', {}, READER);
    const set = await call('Folder/set', { update: { [id]: { shareWith: { u2: READ } } } });
    expect(set.newState).toBe((await call('Folder/get', { ids: [] })).state);
    const given = await call('Paper/changes', { sinceState: state }, READER);
    expect(given.created).toEqual([paper]);
    await update(id, { shareWith: null });
    const taken = await call('Paper/changes', { sinceState: given.newState }, READER);
    expect(taken.destroyed).toEqual([paper]);
    expect(await read(id, READER)).toBeNull();
  });

  it('tells a user who reads pages of one object each', async () => {
    const id = await create({});
    for (let count = 0; count < 3; count += 1) await create({ parentId: id });
    let { state } = await call('Folder/get', {}, READER);
    await update(id, { shareWith: { u2: READ } });
    const created: string[] = [];
    for (let isMore = true; isMore; ) {
      const page = await call('Folder/changes', { sinceState: state, maxChanges: 1 }, READER);
      created.push(...page.created);
      ({ newState: state, hasMoreChanges: isMore } = page);
    }
    expect(new Set(created).size).toBe(4);
    expect(created).toHaveLength(4);
  });

  it('costs the same number of statements for one object and for many', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 31; count += 1) ids.push(await create({}));
    const cost = async (some: readonly string[], shareWith: object) => {
      const before = rig.statements.length;
      const patches = Object.fromEntries(some.map((id) => [id, { shareWith }]));
      const { notUpdated } = await call('Folder/set', { update: patches });
      expect(notUpdated ?? null).toBeNull();
      return rig.statements.length - before;
    };
    const one = await cost(ids.slice(0, 1), { u2: READ });
    // The user has other shares in the account now: no server need hear of it.
    expect(await cost(ids.slice(1, 2), { u2: READ })).toBe(one - 2);
    expect(await cost(ids.slice(2), { u2: ALL })).toBe(one - 2);
  });

  it('has a user who sees a part read its rights by one statement', async () => {
    const folder = { shareWith: { u2: READ } };
    const ids = [await create(folder), await create(folder)];
    const cost = async (properties: readonly string[], some: readonly string[]) => {
      const before = rig.statements.length;
      await call('Folder/get', { ids: some, properties }, READER);
      return rig.statements.length - before;
    };
    const plain = await cost(['name'], ids);
    expect(await cost(['name', 'myRights'], ids)).toBe(plain + 1);
  });

  it('costs types that are not shared nothing', async () => {
    const before = rig.statements.length;
    await rig.call('Todo/set', { create: { k: { text: 'x' } } });
    const statements = rig.statements.slice(before);
    expect(statements.filter((sql) => /JmapGrant|JmapScope|JmapMeta/.test(sql))).toEqual([]);
  });
});

describe('very many shares', () => {
  const many = Array.from({ length: 450 }, (_, index) => `m${index}`);

  beforeEach(() => {
    const values = many.map((id) => `('${id}', '${id}', 1)`);
    rig.run(`INSERT INTO "JmapUser" ("id", "name", "created") VALUES ${values.join(', ')}`);
  });

  /** Creates folders that so many users see. */
  const createMany = async (count: number, given: object = {}): Promise<readonly string[]> => {
    const shareWith = Object.fromEntries(many.map((id) => [id, READ]));
    const object = { ...given, shareWith };
    const objects = Array.from({ length: count }, (_, index) => [`k${index}`, object]);
    const create = Object.fromEntries(objects);
    const { created } = await call('Folder/set', { create });
    return Object.values(created).map((one: Json) => one.id);
  };

  it('go with a cascade that may destroy their objects', async () => {
    const parentId = await create({ shareWith: { m7: READ } });
    const ids = [parentId];
    for (let count = 0; count < 12; count += 1) ids.push(...(await createMany(20, { parentId })));
    expect(grants().length).toBeGreaterThan(100_000);
    const user = viewer('m7');
    const { state } = await call('Folder/get', { ids: [] }, user);
    const { destroyed, oldState, newState } = await call('Folder/set', { destroy: [parentId] });
    expect([...destroyed].sort()).toEqual(ids.sort());
    expect(grants()).toEqual([]);
    const after = await call('Folder/set', { create: { k: {} } });
    expect(after.oldState).toBe(newState);
    expect(Number(newState) - Number(oldState)).toBeGreaterThan(ids.length);
    // The access records are longer than a page.
    const told: string[] = [];
    for (let sinceState = state, hasMore = true; hasMore; ) {
      const page = await call('Folder/changes', { sinceState }, user);
      told.push(...page.destroyed);
      sinceState = page.newState;
      hasMore = page.hasMoreChanges;
    }
    expect(told.sort()).toEqual(ids);
  });

  it('make several access records, which each view reads back', async () => {
    const user = viewer('m7');
    const before = (await call('Folder/get', { ids: [] }, user)).state;
    const ids = [...(await createMany(20)), ...(await createMany(20))];
    const sizes = rig.rows(`SELECT length("scopes") AS "size" FROM "JmapChange"
      WHERE "kind" = 3 AND "type" = 'Folder'`) as readonly { readonly size: number }[];
    expect(sizes.length).toBeGreaterThan(2);
    for (const { size } of sizes) expect(size).toBeLessThan(300_000);
    const { oldState, newState } = await call('Folder/set', { create: { k: { name: 'last' } } });
    expect(Number(newState)).toBe(Number(oldState) + 1);
    const created: string[] = [];
    let state = before;
    for (let isMore = true; isMore; ) {
      const page = await call('Folder/changes', { sinceState: state, maxChanges: 3 }, user);
      created.push(...page.created);
      ({ newState: state, hasMoreChanges: isMore } = page);
    }
    expect(created.sort()).toEqual([...ids].sort());
    // A first look goes no further than these, and has to know what has changed behind them.
    const others = Array.from({ length: 600 }, (_, index) => [`k${index}`, {}]);
    await call('Folder/set', { create: Object.fromEntries(others) });
    // More records than are read at once.
    for (const id of ids.slice(0, 12)) await update(id, { 'shareWith/m1': null });
    await update(ids[0] ?? '', { 'shareWith/m7': null });
    const { destroyed } = await call('Folder/changes', { sinceState: state }, user);
    expect(destroyed).toEqual([ids[0]]);
  });
});
