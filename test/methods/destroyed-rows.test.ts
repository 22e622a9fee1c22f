import { describe, expect, it, onTestFinished } from 'vitest';
import type { TypeHooks } from '../../src/capability/hooks.js';
import { destroyedRows, watch } from './destroyed-rows.js';
import { gadgetHooks } from './gadget.js';
import { type Json, Rig } from './rig.js';

// On PostgreSQL: test/store/postgresql.test.ts, which has a server.
destroyedRows('SQLite', async () => new Rig());

describe('rows of what is destroyed, with hooks', () => {
  function open(Gadget: TypeHooks<Json> | undefined): Rig {
    const rig = new Rig({}, { gadgetHooks: { types: { Gadget } } as typeof gadgetHooks });
    onTestFinished(() => rig.close());
    return rig;
  }

  it('compute is called for what stays and loses links, not for what goes', async () => {
    const rig = open(gadgetHooks.types?.['Gadget']);
    const [gone = ''] = await rig.create('Gadget', [{ title: 's:gone' }]);
    const kept = { title: 's:kept', code: 'K', links: { [gone]: true } };
    const [id = ''] = await rig.create('Gadget', [kept]);
    await rig.create('Gadget', [{ title: 'child', parentId: id }]);
    const { gets } = watch(rig);
    const { destroyed, updated } = await rig.call('Gadget/set', { destroy: [id, gone] });
    expect(destroyed).toEqual([gone]);
    expect(updated).toEqual({ [id]: { updated: expect.any(String), links: {}, size: 1 } });
    const [object] = (await rig.call('Gadget/get', { ids: [id] })).list;
    expect(object).toMatchObject({ title: 's:kept', code: 'K', slug: 'kept', size: 1 });
    expect(gets).toEqual([
      { type: 'Gadget', ids: [id, gone], isWhole: false },
      { type: 'Gadget', ids: [id], isWhole: true },
    ]);
  });

  it.each(['check', 'inTransaction', 'afterCommit'] as const)(
    '%s sees whole rows',
    async (name) => {
      const seen: Json[] = [];
      const destroyed = (told: Json): readonly Json[] =>
        Array.isArray(told)
          ? told.filter(({ after }) => after === null).map(({ before }) => before)
          : told.destroyed;
      const rig = open({ [name]: async (told: Json) => void seen.push(...destroyed(told)) });
      const [parent = ''] = await rig.create('Gadget', [{ title: 'parent', code: 'P' }]);
      await rig.create('Gadget', [{ title: 'follower', ownerId: parent, code: 'F' }]);
      const { gets } = watch(rig);
      await rig.call('Gadget/set', { destroy: [parent] });
      const whole = [
        { title: 'parent', code: 'P', cost: 7 },
        { title: 'follower', code: 'F', cost: 7 },
      ];
      // A check is asked of what the call names.
      expect(seen).toMatchObject(name === 'check' ? whole.slice(0, 1) : whole);
      expect(gets.map(({ isWhole }) => isWhole)).toEqual([true, true]);
    },
  );
});
