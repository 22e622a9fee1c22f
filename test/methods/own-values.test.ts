import { afterEach, describe, expect, it } from 'vitest';
import { property } from './gadget.js';
import { withOwn } from './own-values.js';
import { type Call, type Json, type Limits, type Logic, Rig, U1 } from './rig.js';
import { viewer } from './viewers.js';
import { Widget } from './widget.js';

/** Types of which each user has values of its own, and the others beside them. */

const OWNED = withOwn(Widget, property('mark', 'integer', { default: 0, perUser: true }));
const rigs: Rig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

function open(logic: Logic = {}, limits: Partial<Limits> = {}): Rig {
  const rig = new Rig(limits, logic);
  rigs.push(rig);
  return rig;
}

/** Makes calls; returns their answers, whose ids are the same each time, and the statements. */
async function trace(rig: Rig, type: string): Promise<object> {
  rig.statements.length = 0;
  const accountId = 'a1';
  const made = await rig.call(`${type}/set`, { create: { k: { title: 'a' } } });
  const { id } = made.created.k;
  const calls: Call[] = [
    [`${type}/get`, { accountId, ids: [id] }],
    [`${type}/set`, { accountId, ifInState: made.newState, update: { [id]: { title: 'b' } } }],
    [`${type}/query`, { accountId, sort: [{ property: 'title' }] }, 'q'],
    [`${type}/get`, { accountId, '#ids': { resultOf: 'q', name: `${type}/query`, path: '/ids' } }],
    [`${type}/changes`, { accountId, sinceState: made.oldState }],
    [`${type}/set`, { accountId, destroy: [id] }],
  ];
  const answers = await rig.calls(calls);
  const text = JSON.stringify([made, answers]).replaceAll(id, 'ID');
  return { text: text.replaceAll(/\d{4}-\d\d-[^"]*Z/g, 'TIME'), statements: [...rig.statements] };
}

describe('values of each user', () => {
  it('cost other types nothing: the same statements and answers', async () => {
    const plain = await trace(open(), 'Note');
    expect(await trace(open({ widget: OWNED }), 'Note')).toEqual(plain);
    const tables = async (rig: Rig, type: string) => {
      const text = JSON.stringify(await trace(rig, type));
      return ['JmapChange', 'JmapScope', 'JmapUserValue'].filter((table) => text.includes(table));
    };
    expect(await tables(open({ widget: OWNED }), 'Note')).toEqual(['JmapChange']);
    expect(await tables(open(), 'Widget')).toEqual(['JmapChange']);
    const own = ['JmapChange', 'JmapScope', 'JmapUserValue'];
    expect(await tables(open({ widget: OWNED }), 'Widget')).toEqual(own);
  });

  it('take one statement of a /get, for any number of objects', async () => {
    const rig = open({ widget: OWNED });
    const create = Object.fromEntries([...'abcde'].map((k) => [k, { title: k, mark: 3 }]));
    const { created } = await rig.call('Widget/set', { create });
    const ids = Object.values<Json>(created).map(({ id }) => id);
    const reads = async (args: object) => {
      rig.statements.length = 0;
      await rig.call('Widget/get', args);
      return rig.statements.filter((sql) => sql.includes('JmapUserValue')).length;
    };
    expect(await reads({ ids })).toBe(1);
    expect(await reads({})).toBe(1);
    expect(await reads({ ids, properties: ['title'] })).toBe(0);
  });

  it('count to the octets that a /get may read', async () => {
    const limits = { maxSizeResponse: 20_000 };
    const label = property('label', 'string', { default: '', perUser: true });
    const rig = open({ widget: withOwn(Widget, label) }, limits);
    const ids = await rig.create('Widget', [{ title: 'a' }, { title: 'b' }]);
    for (const id of ids)
      await rig.call('Widget/set', { update: { [id]: { label: 'x'.repeat(12_000) } } });
    const refused = await rig.call('Widget/get', { ids, properties: ['label'] });
    expect(refused).toMatchObject({
      error: 'requestTooLarge',
      description: 'The objects are larger than one call may handle.',
    });
    const one = await rig.call('Widget/get', { ids: ids.slice(1), properties: ['label'] });
    expect(one.list).toHaveLength(1);
  });

  it('are no part of hooks and their calls', async () => {
    const seen: Json[] = [];
    const check = (wanted: readonly Json[]) => {
      for (const { before, after } of wanted) seen.push(before, after);
    };
    const rig = open({ widget: OWNED, hooks: { types: { Widget: { check } } } });
    const { created } = await rig.call('Widget/set', { create: { k: { title: 'a', mark: 3 } } });
    const { id } = created.k;
    await rig.call('Widget/set', { update: { [id]: { mark: 4 } } });
    expect(seen).toHaveLength(2);
    expect(seen.flatMap((one) => Object.keys(one ?? {}))).not.toContain('mark');
    const { list } = await rig.call('Widget/get', { ids: [id] });
    expect(list[0].mark).toBe(4);
  });

  it('are refused where a patch of them is wrong, and the object stays as it is', async () => {
    const rig = open({ widget: OWNED });
    const { created } = await rig.call('Widget/set', { create: { k: { title: 'a' } } });
    const { id } = created.k;
    const update = { [id]: { mark: 2, nothing: 1 } };
    const { notUpdated } = await rig.call('Widget/set', { update });
    expect(notUpdated[id]).toMatchObject({ type: 'invalidProperties', properties: ['nothing'] });
    const gone = await rig.call('Widget/set', { update: { [id]: { mark: 2 } }, destroy: [id] });
    expect(gone.notUpdated[id].type).toBe('willDestroy');
    expect(gone.destroyed).toEqual([id]);
  });

  it('are what all updates of one object in a call leave', async () => {
    const rig = open({ widget: OWNED });
    const user = viewer('u2');
    const { created } = await rig.call('Widget/set', { create: { k: { title: 'a' } } }, { user });
    const { id } = created.k;
    // The id and the creation id name one object.
    const update = async (first: object, second: object) => {
      const args = { accountId: 'a1', update: { [id]: first, '#k': second } };
      const settings = { user, createdIds: { k: id } };
      return (await rig.calls([['Widget/set', args]], settings))[0][1];
    };
    const read = async (as = user) => {
      const { list } = await rig.call('Widget/get', { ids: [id] }, { user: as });
      return list.map(({ title, mark }: Json) => [title, mark]);
    };
    await update({ mark: 1, title: 'b' }, { mark: 5 });
    expect(await read()).toEqual([['b', 5]]);
    await update({ mark: 6 }, { title: 'c' });
    expect(await read()).toEqual([['c', 6]]);
    const { notUpdated } = await update({ mark: 7 }, { mark: 8, nothing: 1 });
    expect(Object.keys(notUpdated)).toHaveLength(1);
    expect(await read()).toEqual([['c', 7]]);
    await update({ mark: 9 }, { mark: null });
    expect(await read()).toEqual([['c', 0]]);
    expect(await read(U1)).toEqual([['c', 0]]);
  });

  it('are those of the create and its updates in the same call', async () => {
    const rig = open({ widget: OWNED });
    const user = viewer('u2');
    const args = {
      ...{ accountId: 'a1', create: { n: { title: 'n', mark: 3 }, m: { title: 'm', mark: 4 } } },
      update: { '#n': { mark: 7, title: 'o' } },
    };
    const { created } = await rig.call('Widget/set', args, { user });
    const ids = [created.n.id, created.m.id];
    const { list } = await rig.call('Widget/get', { ids }, { user });
    expect(list.map(({ title, mark }: Json) => [title, mark])).toEqual([
      ['o', 7],
      ['m', 4],
    ]);
  });
});
