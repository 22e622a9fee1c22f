import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig } from './rig.js';
import { viewer } from './viewers.js';
import { AS_OWNER, AS_VIEWER, nodes } from './viewers-nodes.js';

// Objects that a user doesn't see have no effect that the user could tell.

let rig: Rig;
/** The id of a node that nodes with the title "auto" refer to. */
let target: string | null = null;

beforeEach(() => {
  target = null;
  rig = new Rig({}, { more: nodes((title) => (title === 'auto' ? target : null)) });
});
afterEach(() => rig.close());

const own = (verb: string, args: object): Promise<Json> => rig.call(`Node/${verb}`, args, AS_OWNER);
const view = (verb: string, args: object): Promise<Json> =>
  rig.call(`Node/${verb}`, args, AS_VIEWER);

async function make(...objects: readonly object[]): Promise<readonly string[]> {
  const create = Object.fromEntries(objects.map((object, index) => [`k${index}`, object]));
  const { created } = await own('set', { create });
  return objects.map((_, index) => created[`k${index}`].id);
}

describe('a text that names users', () => {
  it('names none where it is no id', async () => {
    const [id = ''] = await make({ title: 'secret', tags: { u2: true, u3: true } });
    const { state } = await view('get', { ids: [] });
    await own('set', { update: { [id]: { tags: { 'u2,p:u3': true } } } });
    expect((await view('get', { ids: [id] })).notFound).toEqual([id]);
    expect((await view('query', {})).ids).toEqual([]);
    expect((await view('changes', { sinceState: state })).destroyed).toEqual([id]);
  });

  it('is one of 500 at most', async () => {
    const tags = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`u${n}`, true]));
    const { notCreated } = await own('set', { create: { k: { tags } } });
    expect(notCreated['k']).toMatchObject({
      type: 'invalidProperties',
      description: '"tags" names more than 500 users.',
    });
  });

  it('may be as long as its property allows', async () => {
    await make({ title: 'long', tags: { ['x'.repeat(20_000)]: true } });
    expect((await view('query', {})).ids).toEqual([]);
  });
});

describe('a result with a shape', () => {
  it('tells no changes to a user who sees a part of the objects', async () => {
    await make({ title: 'a', rank: 1, group: 'g' });
    for (const shape of [{ collapse: true }, { sortAsTree: true }, { filterAsTree: true }]) {
      const { canCalculateChanges, queryState } = await view('query', shape);
      expect(canCalculateChanges).toBe(false);
      const changes = await view('queryChanges', { ...shape, sinceQueryState: queryState });
      expect(changes).toMatchObject({ error: 'cannotCalculateChanges' });
      const owner = await own('query', shape);
      expect(owner.canCalculateChanges).toBe(true);
    }
  });

  it('is a tree of the visible objects alone', async () => {
    const [child = '', other = '', hidden = ''] = await make(
      { title: 'child', rank: 1 },
      { title: 'other', rank: 1 },
      { title: 'hidden' },
    );
    await own('set', { update: { [child]: { parentId: hidden } } });
    const { ids } = await view('query', { sortAsTree: true });
    expect(ids).toEqual([child, other]);
    expect((await own('query', { sortAsTree: true })).ids).toEqual([other, hidden, child]);
  });

  it('has the first visible object of each group', async () => {
    const [, b = ''] = await make(
      { title: 'hidden', group: 'g' },
      { title: 'b', rank: 1, group: 'g' },
    );
    expect((await view('query', { collapse: true })).ids).toEqual([b]);
  });
});

describe('a change of hidden objects', () => {
  it('adds no names to "updatedProperties"', async () => {
    const [a = '', b = ''] = await make({ title: 'a', rank: 1 }, { title: 'b' });
    const { state } = await view('get', { ids: [] });
    await own('set', { update: { [a]: { title: 'new' }, [b]: { wage: 5 } } });
    const changes = await view('changes', { sinceState: state });
    expect(changes).toMatchObject({ updated: [a], updatedProperties: ['updated', 'title'] });
  });

  it('is no part of the answer to a destroy that takes them along', async () => {
    const [boss = ''] = await make({ title: 'boss', rank: 1 });
    const [kept = ''] = await make({ title: 'hidden', bossId: boss });
    const refused = await view('set', { destroy: [boss] });
    expect(refused.notDestroyed[boss]).toMatchObject({ type: 'forbidden' });
    await own('set', { update: { [kept]: { rank: 1 } } });
    expect((await view('set', { destroy: [boss] })).destroyed).toEqual([boss, kept]);
  });

  it('is refused beside a destroy that a link prevents', async () => {
    const [boss = '', kept = ''] = await make(
      { title: 'boss', rank: 1 },
      { title: 'kept', rank: 1 },
    );
    const [hidden = ''] = await make(
      { title: 'hidden', bossId: boss },
      { title: 'guard', guardId: kept },
    );
    const { notDestroyed } = await view('set', { destroy: [boss, kept] });
    expect(notDestroyed[boss]).toMatchObject({ type: 'forbidden' });
    expect(notDestroyed[kept]).toMatchObject({ type: 'objectIsLinked', objectIds: [] });
    expect((await own('get', { ids: [hidden] })).list).toHaveLength(1);
  });

  it('is not told to a user who may destroy what it does not see', async () => {
    const [boss = ''] = await make({ title: 'boss', rank: 1 });
    const [hidden = ''] = await make({ title: 'hidden', bossId: boss });
    const cleaner = { ...AS_VIEWER, user: viewer('u2', ['cleaner']) };
    const { destroyed } = await rig.call('Node/set', { destroy: [boss] }, cleaner);
    expect(destroyed).toEqual([boss]);
    expect((await own('get', { ids: [hidden] })).notFound).toEqual([hidden]);
  });

  it('is told as destroyed alone where it takes an object out of the view', async () => {
    const [parent = ''] = await make({ title: 'parent', rank: 1 });
    const [child = ''] = await make({ title: 'child', rank: 1, parentId: parent });
    const answer = await view('set', { destroy: [parent] });
    expect(Object.keys(answer.updated)).toEqual([child]);
  });
});

describe('a reference that the server gives', () => {
  it('may lead to what the user does not see', async () => {
    const [hidden = '', seen = ''] = await make({ title: 'hidden' }, { title: 'seen', rank: 1 });
    target = hidden;
    const create = { k: { title: 'auto', rank: 1 } };
    const answer = await view('set', { create, update: { [seen]: { title: 'auto' } } });
    expect([answer.notCreated, answer.notUpdated]).toEqual([null, null]);
    const named = await view('set', { update: { [seen]: { parentId: hidden } } });
    expect(named.notUpdated[seen]).toMatchObject({ type: 'invalidProperties' });
  });
});

describe('a state of a user who sees a part of the objects', () => {
  const DAY = 86_400_000;
  const start = Date.now();
  const prune = () => rig.services.store.pruneChanges((rig.time ?? 0) - 30 * DAY, 1000);

  it('lasts while nothing concerns the user, however long', async () => {
    rig.time = start;
    const [seen = '', hidden = ''] = await make({ title: 'seen', rank: 1 }, { title: 'hidden' });
    const { state } = await view('get', { ids: [] });
    rig.time = start + DAY;
    await own('set', { update: { [hidden]: { title: 'new' } } });
    rig.time = start + 40 * DAY;
    expect(await prune()).toBe(3);
    await own('set', { update: { [seen]: { title: 'new' } } });
    const changes = await view('changes', { sinceState: state });
    expect(changes).toMatchObject({ created: [], updated: [seen], destroyed: [] });
    const owner = await own('changes', { sinceState: '2' });
    expect(owner).toMatchObject({ error: 'cannotCalculateChanges' });
  });

  it('ends with the records of what the user has seen since', async () => {
    rig.time = start;
    const [seen = ''] = await make({ title: 'seen', rank: 1 }, { title: 'other', rank: 1 });
    const { state } = await view('get', { ids: [] });
    await own('set', { update: { [seen]: { rank: 0 } } });
    const { state: left } = await view('get', { ids: [] });
    rig.time = start + 40 * DAY;
    await prune();
    const old = await view('changes', { sinceState: state });
    expect(old).toMatchObject({ error: 'cannotCalculateChanges' });
    expect(await view('changes', { sinceState: left })).toMatchObject({ newState: left });
    const gone = rig.rows(`SELECT * FROM "JmapScope" WHERE "gone" AND "objectId" > ' '`);
    expect(gone).toEqual([]);
    expect((await view('get', { ids: [] })).state).toBe(left);
  });
});
