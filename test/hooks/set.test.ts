import { afterEach, expect, test, vi } from 'vitest';
import type { TypeHooks } from '../../src/capability/hooks.js';
import { gadgetHooks } from '../methods/gadget.js';
import { type Json, Rig, U2 } from '../methods/rig.js';
import { Widget } from '../methods/widget.js';
import { eventually } from '../support/poll.js';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

function rigWith(hooks: TypeHooks<Json>): Rig {
  rig = new Rig({}, { hooks: { types: { Widget: hooks } } });
  return rig;
}

test('check refuses single objects; the others of the call go on', async () => {
  const own = rigWith({
    check(wanted) {
      for (const { after, refuse } of wanted)
        if (after?.title === 'bad') refuse({ type: 'forbidden', description: 'no' });
    },
  });
  const create = { a: { title: 'good' }, b: { title: 'bad' } };
  const { created, notCreated } = await own.call('Widget/set', { create });
  expect(Object.keys(created)).toEqual(['a']);
  expect(notCreated).toEqual({ b: { type: 'forbidden', description: 'no' } });
});

test('check judges destroys that a link prevents, and its answer counts', async () => {
  const asked: string[] = [];
  const own = new Rig(
    {},
    {
      gadgetHooks: {
        types: {
          Gadget: {
            ...gadgetHooks.types?.['Gadget'],
            check(wanted) {
              for (const { before, after, refuse } of wanted) {
                if (after !== null) continue;
                asked.push((before as Json).title);
                if ((before as Json).title === 'kept')
                  refuse({ type: 'isKept', description: 'It is kept.' });
              }
            },
          },
        },
      },
    },
  );
  rig = own;
  const [top, kept] = await own.create('Gadget', [{ title: 'top' }, { title: 'kept' }]);
  const create = { a: { title: 'a', parentId: top }, b: { title: 'b', parentId: kept } };
  const { created } = await own.call('Gadget/set', { create });
  const { notDestroyed } = await own.call('Gadget/set', { destroy: [top, kept] });
  expect(asked).toEqual(['top', 'kept']);
  expect(notDestroyed).toMatchObject({
    [top ?? '']: { type: 'objectIsLinked', objectIds: [created.a.id] },
    [kept ?? '']: { type: 'isKept', description: 'It is kept.' },
  });
  // The kept object links to the top, so the top stays, too.
  await own.call('Gadget/set', { update: { [kept ?? '']: { parentId: top } } });
  const both = await own.call('Gadget/set', { destroy: [top, created.a.id, kept, created.b.id] });
  expect(both.destroyed).toEqual([created.a.id, created.b.id]);
  expect(both.notDestroyed).toMatchObject({
    [top ?? '']: { type: 'objectIsLinked', objectIds: [kept] },
    [kept ?? '']: { type: 'isKept' },
  });
});

test('an object that a check keeps is not destroyed with what it would follow', async () => {
  const check: TypeHooks<Json>['check'] = (wanted) => {
    for (const { before, after, refuse } of wanted)
      if (after === null && (before as Json).title === 'kept')
        refuse({ type: 'isKept', description: 'It is kept.' });
  };
  const others = gadgetHooks.types?.['Gadget'];
  const own = new Rig({}, { gadgetHooks: { types: { Gadget: { ...others, check } } } });
  rig = own;
  const [top = '', other = ''] = await own.create('Gadget', [{ title: 'top' }, { title: 'other' }]);
  const [middle, side] = await own.create('Gadget', [
    { title: 'middle', ownerId: top },
    { title: 'side', ownerId: other },
  ]);
  const [kept = ''] = await own.create('Gadget', [{ title: 'kept', ownerId: middle }]);
  const answer = await own.call('Gadget/set', { destroy: [top, kept, other] });
  expect(answer.destroyed).toEqual([other, side]);
  expect(answer.notDestroyed).toMatchObject({
    [top]: { type: 'objectIsLinked', objectIds: [kept] },
    [kept]: { type: 'isKept' },
  });
});

test('inTransaction gets each change once, those of its tx.set too, with records', async () => {
  const heard: string[][] = [];
  const own = rigWith({
    async inTransaction(changes, _call, tx) {
      heard.push(changes.created.map(({ title }: Json) => title));
      if (changes.created.some(({ title }: Json) => title === 'first'))
        await tx.set(Widget, { create: { k: { title: 'second' } } });
    },
  });
  const { newState } = await own.call('Widget/set', { create: { a: { title: 'first' } } });
  expect(heard).toEqual([['first'], ['second']]);
  expect(newState).toBe('2');
  expect((await own.call('Widget/changes', { sinceState: '0' })).created).toHaveLength(2);
});

test('a hook writes messages down, and one user alone takes them off the list', async () => {
  const others = gadgetHooks.types?.['Gadget'];
  const message = () => own.services.registry.dataTypes.get('Gadget') as typeof Widget;
  const own = new Rig(
    {},
    {
      hooks: {
        types: {
          Widget: {
            async inTransaction({ created }, _call, tx) {
              const create = Object.fromEntries(created.map(({ id }: Json) => [id, { title: id }]));
              await tx.set(message(), { create });
            },
          },
        },
      },
      gadgetHooks: {
        types: {
          Gadget: {
            ...others,
            check(wanted, { userId, method }) {
              if (method !== 'Gadget/set' || userId === 'u2') return;
              for (const { refuse } of wanted) refuse({ type: 'forbidden', description: 'no' });
            },
          },
        },
      },
    },
  );
  rig = own;
  const { created } = await own.call('Widget/set', { create: { a: { title: 'x' } } });
  const { list } = await own.call('Gadget/get', { ids: null });
  expect(list).toMatchObject([{ title: created.a.id }]);
  const { id } = list[0];
  const args = { create: { k: { title: 'forged' } }, destroy: [id] };
  expect(await own.call('Gadget/set', args)).toMatchObject({
    notCreated: { k: { type: 'forbidden' } },
    notDestroyed: { [id]: { type: 'forbidden' } },
  });
  const taken = await own.call('Gadget/set', { destroy: [id] }, { user: U2 });
  expect(taken.destroyed).toEqual([id]);
});

test('hooks that call each other without end are stopped, and nothing is kept', async () => {
  const own = rigWith({
    async inTransaction(_changes, _call, tx) {
      await tx.set(Widget, { create: { k: { title: 'more' } } });
    },
  });
  expect((await own.call('Widget/set', { create: { a: { title: 'x' } } })).error).toBe(
    'serverFail',
  );
  expect(String(own.failures[0]?.error)).toContain('8 levels deep');
  expect((await own.call('Widget/get', { ids: null })).list).toEqual([]);
});

test('afterCommit runs once, after the answer; its error is logged, not answered', async () => {
  const told: Json[] = [];
  const own = rigWith({
    afterCommit(changes) {
      told.push(changes.created.length);
      throw new Error('outside is down');
    },
  });
  const { created } = await own.call('Widget/set', { create: { a: { title: 'x' } } });
  expect(created.a).toBeDefined();
  await eventually(() => expect(own.failures).toHaveLength(1));
  expect(told).toEqual([1]);
});

test('afterCommit hears nothing of an attempt that was undone and run again', async () => {
  const told: Json[] = [];
  const own = rigWith({
    afterCommit({ updated, destroyed }) {
      told.push([updated.length, destroyed.length]);
    },
  });
  const [id = ''] = await own.create('Widget', [{ title: 'x' }]);
  const { store } = own.services;
  const write = store.write.bind(store);
  const lost = new Error('A deadlock.');
  // As on PostgreSQL, where meanwhile another process has destroyed the object.
  vi.spyOn(store, 'write').mockImplementationOnce(async (account, options, work) => {
    const undone = write(account, options, async (transaction) => {
      await work(transaction);
      throw lost;
    });
    await expect(undone).rejects.toBe(lost);
    await own.call('Widget/set', { destroy: [id] });
    return write(account, options, work);
  });
  const { notUpdated } = await own.call('Widget/set', { update: { [id]: { title: 'y' } } });
  expect(notUpdated[id].type).toBe('notFound');
  await eventually(() => expect(told).toContainEqual([0, 1]));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toEqual([
    [0, 0],
    [0, 1],
  ]);
});

test('a tx.set that failed in an undone attempt does not count in the next one', async () => {
  const own = rigWith({
    async inTransaction({ created }, _call, tx) {
      if (created.some(({ title }: Json) => title === 'first'))
        await tx.set(Widget, { create: { k: { title: 'second' } } });
    },
  });
  const { store } = own.services;
  const write = store.write.bind(store);
  // As on PostgreSQL, where a deadlock undoes a transaction that then runs again.
  vi.spyOn(store, 'write').mockImplementationOnce(async (account, options, work) => {
    const undone = write(account, options, (transaction) => {
      const writeRows = transaction.writeRows.bind(transaction);
      let count = 0;
      transaction.writeRows = async (...args) => {
        count += 1;
        if (count > 1) throw new Error('A deadlock.');
        await writeRows(...args);
      };
      return work(transaction);
    });
    await expect(undone).rejects.toThrow('A deadlock.');
    return write(account, options, work);
  });
  const { created } = await own.call('Widget/set', { create: { a: { title: 'first' } } });
  expect(created?.a).toBeDefined();
  expect((await own.call('Widget/get', { ids: null })).list).toHaveLength(2);
});
