import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessRule, AccessSubject } from '../../src/capability/access-rules.js';
import { described } from './described-type.js';
import { methodsOf } from './gadget.js';
import { CORE, type Json, type Logic, Rig } from './rig.js';
import { viewer } from './viewers.js';

// The work of one call for objects that follow others by access rules has bounds.

const LINK = { type: ['string', 'null'], format: 'id', default: null };
const FOLDERS = described({
  Folder: {
    properties: {
      name: { type: 'string', default: '' },
      members: { setOf: 'string', maxProperties: 500, default: {} },
      parentId: { ...LINK, references: 'Folder', acyclic: true, onDestroy: 'cascade' },
    },
  },
  Paper: {
    properties: {
      folderId: { ...LINK, references: 'Folder', onDestroy: 'cascade' },
      seeId: { ...LINK, references: 'Folder', onDestroy: 'setNull' },
    },
  },
});
const USING = [CORE, FOLDERS.capability.urn];

const MEMBERS: AccessSubject = { kind: 'property', property: 'members' };
const ALL = { read: true, create: true, update: true, destroy: true } as const;

/** Members see a folder, what is in it, and the folders below. */
const RULES: Readonly<Record<string, readonly AccessRule[]>> = {
  Folder: [
    { who: MEMBERS, ...ALL },
    { who: { kind: 'parent', reference: 'parentId', type: 'Folder' }, ...ALL },
  ],
  Paper: [{ who: { kind: 'parent', reference: 'folderId', type: 'Folder' }, ...ALL }],
};

function folders(): Required<Logic>['more'] {
  const { capability, tables } = FOLDERS;
  const dataTypes = capability.dataTypes.map((type) => ({
    ...type,
    access: RULES[type.name] ?? [],
  }));
  const methods = dataTypes.flatMap(methodsOf);
  return { capability: { ...capability, dataTypes, methods }, tables };
}

const MEMBER = viewer('u2');

let rig: Rig;

beforeEach(() => {
  rig = new Rig({ maxCascade: 400, maxObjectsInSet: 500 }, { more: folders() });
});
afterEach(() => rig.close());

const call = (name: string, args: object, user?: typeof MEMBER): Promise<Json> =>
  rig.call(name, args, { using: USING, ...(user !== undefined && { user }) });

async function create(type: string, objects: readonly object[]): Promise<readonly string[]> {
  const entries = objects.map((object, index) => [`k${index}`, object]);
  const { created } = await call(`${type}/set`, { create: Object.fromEntries(entries) });
  return objects.map((_, index) => created[`k${index}`].id);
}

function members(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`u${index + 2}`, true]));
}

function repeat(count: number, object: object): readonly object[] {
  return Array.from({ length: count }, () => object);
}

describe('rows of who sees what', () => {
  it('are written in parts where a change concerns many objects and users', async () => {
    const [folder = ''] = await create('Folder', [{}]);
    const papers = await create('Paper', repeat(300, { folderId: folder }));
    const begin = rig.statements.length;
    await call('Folder/set', { update: { [folder]: { members: members(100) } } });
    const own = rig.statements.slice(begin);
    const writes = own.filter((text) => text.startsWith('INSERT INTO "JmapScope"'));
    // 300 papers and 100 users, of which one statement takes 5,000 rows, and the folder's own.
    expect(writes).toHaveLength(7);
    expect((await call('Paper/get', { ids: papers }, MEMBER)).list).toHaveLength(300);
    expect((await call('Paper/get', { ids: papers }, viewer('u101'))).list).toHaveLength(300);
    await call('Folder/set', { update: { [folder]: { members: {} } } });
    expect((await call('Paper/get', { ids: papers }, MEMBER)).list).toEqual([]);
  });

  it('are not written where they are too many', async () => {
    const [folder = ''] = await create('Folder', [{ members: members(1) }]);
    const papers = await create('Paper', repeat(300, { folderId: folder }));
    const update = { [folder]: { members: members(400) } };
    const { error, description } = await call('Folder/set', { update });
    expect([error, description]).toEqual([
      'requestTooLarge',
      'The call would write more than 100000 rows of who sees what: each object takes one for ' +
        'each scope that it has or had. Change fewer objects at once.',
    ]);
    expect((await call('Folder/get', { ids: [folder] })).list[0].members).toEqual(members(1));
    expect((await call('Paper/get', { ids: papers }, MEMBER)).list).toHaveLength(300);
  });

  it('are counted for objects that the call itself creates', async () => {
    const objects = repeat(300, { members: members(400) });
    const create = Object.fromEntries(objects.map((object, index) => [`k${index}`, object]));
    expect(await call('Folder/set', { create })).toMatchObject({ error: 'requestTooLarge' });
  });
});

describe('references that access does not follow', () => {
  it('do not count where the access to an object changes', async () => {
    await rig.close();
    rig = new Rig({ maxCascade: 5, maxObjectsInSet: 500 }, { more: folders() });
    const [folder = ''] = await create('Folder', [{}]);
    await create('Paper', repeat(60, { seeId: folder }));
    const papers = await create('Paper', repeat(5, { folderId: folder }));
    const update = { [folder]: { members: members(1) } };
    expect(Object.keys((await call('Folder/set', { update })).updated)).toEqual([folder]);
    expect((await call('Paper/get', { ids: papers }, MEMBER)).list).toHaveLength(5);
    await create('Paper', [{ folderId: folder }]);
    const further = { [folder]: { members: {} } };
    expect(await call('Folder/set', { update: further })).toMatchObject({
      error: 'requestTooLarge',
      description: 'The call would change who sees more than 5 objects.',
    });
  });
});

/** Creates folders one below the other; resolves to their ids, the highest first. */
async function createChain(length: number, top: object = {}): Promise<readonly string[]> {
  const objects = Array.from({ length }, (_, index) =>
    index === 0 ? top : { parentId: `#k${index - 1}` },
  );
  return create('Folder', objects);
}

const TOO_DEEP = {
  type: 'invalidProperties',
  properties: ['parentId'],
  description: expect.stringContaining('must not nest objects more than 100 deep'),
};

describe('objects that follow one another', () => {
  it('are created a hundred levels deep, and no deeper', async () => {
    const ids = await createChain(101, { members: members(1) });
    const { list } = await call('Folder/get', { ids }, MEMBER);
    expect(list).toHaveLength(101);
    for (const user of [undefined, MEMBER]) {
      const below = { create: { k: { parentId: ids[100] } } };
      expect((await call('Folder/set', below, user)).notCreated).toEqual({ k: TOO_DEEP });
    }
    // Papers stand a level below their folders.
    const paper = { k: { folderId: ids[100] }, l: { folderId: ids[99] } };
    const { created, notCreated } = await call('Paper/set', { create: paper });
    expect([Object.keys(created), Object.keys(notCreated)]).toEqual([['l'], ['k']]);
  });

  it('are refused where one call nests them too deep', async () => {
    const objects = Array.from({ length: 400 }, (_, index) => [
      `k${index}`,
      index === 0 ? {} : { parentId: `#k${index - 1}` },
    ]);
    const create = Object.fromEntries(objects);
    const { created, notCreated } = await call('Folder/set', { create });
    expect(Object.keys(created)).toHaveLength(101);
    expect(Object.keys(notCreated)).toHaveLength(299);
  });

  it('are moved with what is below them as deep, and no deeper', async () => {
    const high = await createChain(60, { members: members(1) });
    const [top = '', ...below] = await createChain(41);
    expect((await call('Folder/get', { ids: below }, MEMBER)).list).toEqual([]);
    await call('Folder/set', { update: { [top]: { parentId: high[59] } } });
    expect((await call('Folder/get', { ids: below }, MEMBER)).list).toHaveLength(40);
    await call('Folder/set', { update: { [top]: { parentId: null } } });
    await create('Folder', [{ parentId: below[39] }]);
    const update = { [top]: { parentId: high[59] } };
    for (const user of [undefined, viewer('u1')]) {
      const { notUpdated } = await call('Folder/set', { update }, user);
      expect(Object.keys(notUpdated)).toEqual([top]);
    }
    const { notUpdated } = await call('Folder/set', { update });
    expect(notUpdated).toEqual({ [top]: TOO_DEEP });
  });

  it('are moved up where they were too deep before there were rules', async () => {
    const high = await createChain(70, { members: members(1) });
    const low = await createChain(70);
    rig.run(`UPDATE "Folder" SET "parentId" = '${high[69]}' WHERE "id" = '${low[0]}'`);
    rig.run(`INSERT INTO "JmapReference" ("accountId", "toType", "toId", "fromType", "fromId",
      "property") VALUES ('a1', 'Folder', '${high[69]}', 'Folder', '${low[0]}', 'parentId')`);
    const rename = { update: { [low[69] as string]: { name: 'new' } } };
    expect(await call('Folder/set', rename)).toMatchObject({
      error: 'requestTooLarge',
      description:
        'Objects follow one another by access rules more than 100 levels deep. ' +
        'Move the lower ones up.',
    });
    const up = { update: { [low[0] as string]: { parentId: high[0] } } };
    expect(Object.keys((await call('Folder/set', up)).updated)).toEqual([low[0]]);
    expect((await call('Folder/set', rename, MEMBER)).notUpdated).toBeNull();
  });
});
