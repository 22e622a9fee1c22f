import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig } from './rig.js';
import { AS_OWNER, nodes } from './viewers-nodes.js';

// Objects that a rule keeps, and that would go with others.

let rig: Rig;

beforeEach(() => {
  const when = [{ property: 'title', values: ['locked'] }];
  const rules = { immutable: [{ when, properties: [], keepsObject: true as const }] };
  rig = new Rig({}, { more: nodes(undefined, rules) });
});
afterEach(() => rig.close());

const call = (verb: string, args: object): Promise<Json> =>
  rig.call(`Node/${verb}`, args, AS_OWNER);

async function make(...drafts: readonly object[]): Promise<readonly string[]> {
  const create = Object.fromEntries(drafts.map((draft, n) => [`k${n}`, draft]));
  const { created } = await call('set', { create });
  return drafts.map((_, n) => created[`k${n}`].id);
}

describe('an object that a rule keeps', () => {
  it.each([0, 1, 2])('keeps what would take it along, beside %i others that stay', async (more) => {
    const [boss = ''] = await make({ title: 'boss' });
    const [locked = ''] = await make({ title: 'locked', bossId: boss });
    const guarded = await make(...Array.from({ length: more }, () => ({ title: 'guarded' })));
    await make(...guarded.map((guardId) => ({ title: 'guard', guardId })));
    const { destroyed, notDestroyed } = await call('set', { destroy: [boss, ...guarded] });
    expect([destroyed, Object.keys(notDestroyed)]).toEqual([null, [boss, ...guarded]]);
    expect(notDestroyed[boss]).toMatchObject({ type: 'objectIsLinked', objectIds: [locked] });
    expect((await call('get', { ids: [locked] })).list).toHaveLength(1);
  });
});
