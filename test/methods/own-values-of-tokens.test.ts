import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../src/capability/access-rules.js';
import { property } from './gadget.js';
import { withOwn } from './own-values.js';
import { type Json, Rig } from './rig.js';
import { Shares, viewer } from './viewers.js';
import { Widget } from './widget.js';

/** Two tokens of one user, of which one has a role and so sees more objects. */

const RULES: readonly AccessRule[] = [
  { who: { kind: 'share', right: 'mayRead' }, read: true },
  { who: { kind: 'role', role: 'auditor' }, where: [at(1)], read: true },
  { who: { kind: 'everyone' }, where: [at(3)], read: true },
];
const MARK = property('mark', 'integer', { default: 0, perUser: true });
const OWNED = { ...withOwn(Widget, MARK), access: RULES };

function at(rank: number) {
  return { property: 'rankNumber', values: [rank] };
}

const MORE = viewer('u3', ['auditor', 'other']);
const FEWER = viewer('u3', ['other']);
/** Has the role alone that the object needs. */
const SAME = viewer('u3', ['auditor']);
const OTHER = viewer('u4', ['auditor']);

let rig: Rig;
beforeEach(() => {
  rig = new Rig({ queryChangesMax: 10 }, { widget: OWNED });
});
afterEach(() => rig.close());

type User = typeof MORE;
const ask = (user: User, verb: string, args: object = {}): Promise<Json> =>
  rig.call(`Widget/${verb}`, args, { user });
const stateOf = async (user: User): Promise<string> => (await ask(user, 'get', { ids: [] })).state;

async function mark(user: User, ids: readonly string[], value = 5): Promise<void> {
  const update = Object.fromEntries(ids.map((id) => [id, { mark: value }]));
  const { updated } = await ask(user, 'set', { update });
  expect(Object.keys(updated)).toEqual(ids);
}

describe('a token with fewer roles', () => {
  it('hears nothing of values at objects that it does not see', async () => {
    const [hidden = '', open = ''] = await rig.create('Widget', [
      { title: 'a', rankNumber: 1 },
      { title: 'b', rankNumber: 3 },
    ]);
    const [fewer, same] = [await stateOf(FEWER), await stateOf(SAME)];
    const { queryState } = await ask(FEWER, 'query');
    await mark(MORE, [hidden]);
    expect(await stateOf(FEWER)).toBe(fewer);
    const nothing = { created: [], updated: [], destroyed: [], newState: fewer };
    expect(await ask(FEWER, 'changes', { sinceState: fewer })).toMatchObject(nothing);
    expect(await ask(FEWER, 'queryChanges', { sinceQueryState: queryState })).toMatchObject({
      ...{ removed: [], added: [], newQueryState: queryState },
    });
    expect(await ask(SAME, 'changes', { sinceState: same })).toMatchObject({ updated: [hidden] });
    // Beside objects that all of the user's tokens see.
    await mark(MORE, [hidden, open], 6);
    expect(await ask(FEWER, 'changes', { sinceState: fewer })).toMatchObject({ updated: [open] });
  });

  it('hears of values at objects that are shared with its user', async () => {
    const [id = ''] = await rig.create('Widget', [{ title: 'a', rankNumber: 1 }]);
    await new Shares(rig, ['Widget']).toggle('u3', [`Widget:${id}/mayRead`]);
    const fewer = await stateOf(FEWER);
    await mark(MORE, [id]);
    expect(await ask(FEWER, 'changes', { sinceState: fewer })).toMatchObject({ updated: [id] });
  });

  it('may keep its states when records of values that it does not see are removed', async () => {
    let now = Date.now();
    Object.assign(rig.services, { now: () => now });
    const [hidden = ''] = await rig.create('Widget', [{ title: 'a', rankNumber: 1 }]);
    const [fewer, same] = [await stateOf(FEWER), await stateOf(SAME)];
    await mark(MORE, [hidden]);
    now += 1000;
    await rig.services.store.pruneChanges(now, 10);
    const [open = ''] = await rig.create('Widget', [{ title: 'b', rankNumber: 3 }]);
    expect(await ask(FEWER, 'changes', { sinceState: fewer })).toMatchObject({ created: [open] });
    const lost = await ask(SAME, 'changes', { sinceState: same });
    expect(lost).toMatchObject({ error: 'cannotCalculateChanges' });
  });
});

describe('queryChanges of a user who sees a part', () => {
  it('lists no object for a value of the user’s own', async () => {
    const ids = await rig.create('Widget', [
      { title: 'a', rankNumber: 3 },
      { title: 'b', rankNumber: 3 },
    ]);
    const asked = { sort: [{ property: 'title' }] };
    const { queryState } = await ask(OTHER, 'query', asked);
    await mark(OTHER, ids);
    const sinceQueryState = queryState;
    expect(await ask(OTHER, 'queryChanges', { ...asked, sinceQueryState })).toMatchObject({
      ...{ removed: [], added: [] },
    });
    await rig.call('Widget/set', { update: { [ids[0] as string]: { title: 'c' } } });
    const found = await ask(OTHER, 'queryChanges', { ...asked, sinceQueryState, maxChanges: 2 });
    expect(found).toMatchObject({ removed: [ids[0]], added: [{ id: ids[0], index: 1 }] });
  });
});

describe('/changes after a share', () => {
  it('passes over any number of values of others', async () => {
    const shares = new Shares(rig, ['Widget']);
    const draft = Array.from({ length: 600 }, () => ({ title: 'a', rankNumber: 3 }));
    const ids = await rig.create('Widget', draft);
    const [id = ''] = await rig.create('Widget', [{ title: 'b' }]);
    const state = await stateOf(MORE);
    await shares.toggle('u3', [`Widget:${id}/mayRead`]);
    await mark(OTHER, ids);
    const asked = { sinceState: state, maxChanges: 5 };
    expect(await ask(MORE, 'changes', asked)).toMatchObject({ created: [id] });
  });
});
