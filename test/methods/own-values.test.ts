import { afterEach, describe, expect, it } from 'vitest';
import { property } from './gadget.js';
import { withOwn } from './own-values.js';
import { type Call, type Json, type Logic, Rig, U1 } from './rig.js';
import { viewer } from './viewers.js';
import { Widget } from './widget.js';

/** Types of which each user has values of its own, and the others beside them. */

const OWNED = withOwn(Widget, property('mark', 'integer', { default: 0, perUser: true }));
const rigs: Rig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

function open(logic: Logic = {}): Rig {
  const rig = new Rig({}, logic);
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
    expect(JSON.stringify(plain)).not.toContain('JmapUserValue');
    expect(JSON.stringify(await trace(open(), 'Widget'))).not.toContain('JmapUserValue');
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

  it('are the same for all updates of one object in a call', async () => {
    const rig = open({ widget: OWNED });
    const user = viewer('u2');
    const { created } = await rig.call('Widget/set', { create: { k: { title: 'a' } } }, { user });
    const { id } = created.k;
    const [[, first], [, second]] = await rig.calls(
      [
        ['Widget/set', { accountId: 'a1', create: { n: { title: 'n' } } }],
        [
          'Widget/set',
          {
            accountId: 'a1',
            update: { [id]: { mark: 1 }, '#n': { mark: 7, title: 'm' } },
          },
        ],
      ],
      { user },
    );
    const other = first.created.n.id;
    expect(Object.keys(second.updated).sort()).toEqual([id, other].sort());
    const read = async (as = user) => {
      const { list } = await rig.call('Widget/get', { ids: [id, other] }, { user: as });
      return list.map(({ title, mark }: Json) => [title, mark]);
    };
    expect(await read()).toEqual([
      ['a', 1],
      ['m', 7],
    ]);
    expect(await read(U1)).toEqual([
      ['a', 0],
      ['m', 0],
    ]);
  });
});
