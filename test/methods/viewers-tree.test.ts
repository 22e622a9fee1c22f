import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig } from './rig.js';
import { Shares, viewer } from './viewers.js';
import { folders, shareOf, USING } from './viewers-tree.js';

// A folder shares what is in it, at any depth. The account's owner makes the objects.

const READER = viewer('u2');
const WRITER = viewer('u3');
const STRANGER = viewer('u4');

type User = typeof READER;

/** Papers in a folder within a shared one, and papers elsewhere. */
interface Made {
  readonly top: string;
  readonly inner: string;
  readonly away: string;
  readonly paper: string;
  readonly other: string;
  readonly remark: string;
}

let rig: Rig;
let made: Made;

const call = (name: string, args: object, user?: User): Promise<Json> =>
  rig.call(name, args, { using: USING, ...(user !== undefined && { user }) });

async function create(type: string, object: object): Promise<string> {
  const { created } = await call(`${type}/set`, { create: { k: object } });
  return created['k'].id;
}

async function open(others: Parameters<typeof folders>[0] = {}): Promise<void> {
  rig = new Rig({}, { more: folders(others) });
  const top = await create('Folder', { name: 'top' });
  const inner = await create('Folder', { name: 'inner', parentId: top });
  const away = await create('Folder', { name: 'away' });
  const paper = await create('Paper', { name: 'paper', folderId: inner });
  const other = await create('Paper', { name: 'other', folderId: away });
  const remark = await create('Remark', { name: 'remark', paperId: paper });
  made = { top, inner, away, paper, other, remark };
  const shares = new Shares(rig, ['Folder', 'Paper', 'Remark']);
  await shares.toggle('u2', [shareOf(top)]);
  await shares.toggle('u3', [shareOf(top), shareOf(top, 'mayWrite')]);
}

/** Returns the type of the error of one object; null where there is none. */
async function errorOf(type: string, args: object, user: User): Promise<string | null> {
  const response = await call(`${type}/set`, args, user);
  const { notCreated, notUpdated, notDestroyed } = response;
  const [error] = Object.values<Json>({ ...notCreated, ...notUpdated, ...notDestroyed });
  return error?.type ?? null;
}

describe('a right at a folder', () => {
  beforeEach(() => open());
  afterEach(() => rig.close());

  it('holds for what is in its folders, at any depth', async () => {
    const matrix = [];
    for (const user of [READER, STRANGER, WRITER]) {
      const rename = { name: user.userId };
      matrix.push([
        await errorOf('Folder', { update: { [made.inner]: rename } }, user),
        await errorOf('Paper', { update: { [made.paper]: rename } }, user),
        await errorOf('Remark', { update: { [made.remark]: rename } }, user),
        await errorOf('Paper', { create: { k: { folderId: made.inner } } }, user),
        await errorOf('Remark', { create: { k: { paperId: made.paper } } }, user),
        await errorOf('Remark', { destroy: [made.remark] }, user),
      ]);
    }
    const [no, notFound] = ['forbidden', 'notFound'];
    expect(matrix).toEqual([
      [no, no, no, no, no, no],
      [notFound, notFound, notFound, no, no, notFound],
      [null, null, null, null, null, null],
    ]);
  });

  it('does not hold for a folder elsewhere', async () => {
    for (const folderId of [made.away, null, 'nowhere']) {
      expect(await errorOf('Paper', { create: { k: { folderId } } }, WRITER)).toBe('forbidden');
      const move = { update: { [made.paper]: { folderId } } };
      expect(await errorOf('Paper', move, WRITER)).toBe('forbidden');
    }
  });

  it('makes no circle', async () => {
    const own = { update: { [made.inner]: { parentId: made.inner } } };
    expect(await errorOf('Folder', own, WRITER)).toMatch(/forbidden|invalidProperties/);
    const each = { [made.inner]: { parentId: made.top }, [made.top]: { parentId: made.inner } };
    const { notUpdated } = await call('Folder/set', { update: each }, WRITER);
    expect(Object.keys(notUpdated)).not.toEqual([]);
  });

  it('holds for an object that the same call puts there', async () => {
    const folder = { name: 'new', parentId: made.inner };
    const within = { name: 'within', parentId: '#k' };
    const { created } = await call('Folder/set', { create: { k: folder, l: within } }, WRITER);
    const { list } = await call('Folder/get', { ids: null }, READER);
    const ids = list.map(({ id }: Json) => id);
    expect(ids).toEqual(expect.arrayContaining([created['k'].id, created['l'].id]));
  });

  it('ends for what moves away, and begins for what moves in', async () => {
    const seen = async () => {
      const papers = await call('Paper/get', { ids: null }, READER);
      const remarks = await call('Remark/get', { ids: null }, READER);
      return [...papers.list, ...remarks.list].map(({ name }: Json) => name).sort();
    };
    expect(await seen()).toEqual(['paper', 'remark']);
    await call('Folder/set', { update: { [made.inner]: { parentId: made.away } } });
    expect(await seen()).toEqual([]);
    await call('Folder/set', { update: { [made.away]: { parentId: made.top } } });
    expect(await seen()).toEqual(['other', 'paper', 'remark']);
  });

  it('tells the owner no property of what followed alone', async () => {
    const { state } = await call('Remark/get', { ids: [] });
    await call('Folder/set', { update: { [made.inner]: { parentId: null } } });
    const changes = await call('Remark/changes', { sinceState: state });
    expect(changes).toMatchObject({ updated: [made.remark], updatedProperties: ['updated'] });
  });
});

describe('a destroy that takes others along', () => {
  afterEach(() => rig.close());

  it('is made where the user may destroy all of them', async () => {
    await open();
    const { destroyed } = await call('Folder/set', { destroy: [made.inner] }, WRITER);
    expect(destroyed).toEqual([made.inner]);
    const { list } = await call('Remark/get', { ids: null });
    expect(list).toEqual([]);
  });

  it('is forbidden without a right at one of them, whose id is not told', async () => {
    await open({
      Remark: [{ who: { kind: 'parent', reference: 'paperId', type: 'Paper' }, read: true }],
    });
    const { notDestroyed } = await call('Folder/set', { destroy: [made.inner] }, WRITER);
    expect(notDestroyed?.[made.inner]).toEqual({
      type: 'forbidden',
      description: 'You may not destroy all that would go with it.',
    });
    const { list } = await call('Remark/get', { ids: null });
    expect(list).toHaveLength(1);
  });

  it('is made of the objects beside one that is forbidden', async () => {
    await open({
      Remark: [{ who: { kind: 'parent', reference: 'paperId', type: 'Paper' }, read: true }],
    });
    const free = await create('Paper', { name: 'free', folderId: made.inner });
    const { destroyed, notDestroyed } = await call(
      'Paper/set',
      { destroy: [made.paper, free] },
      WRITER,
    );
    expect([destroyed, Object.keys(notDestroyed)]).toEqual([[free], [made.paper]]);
  });
});
