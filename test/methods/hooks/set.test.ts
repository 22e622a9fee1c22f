import { afterEach, expect, test } from 'vitest';
import type { TypeHooks } from '../../../src/capability/hooks.js';
import { eventually } from '../../support/poll.js';
import { type Json, Rig } from '../rig.js';
import { Widget } from '../widget.js';

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

test('inTransaction hears of each change once, its own tx.set included, and keeps change records', async () => {
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

test('hooks that call each other without end are stopped, and nothing is kept', async () => {
  const own = rigWith({
    async inTransaction(_changes, _call, tx) {
      await tx.set(Widget, { create: { k: { title: 'more' } } });
    },
  });
  expect((await own.call('Widget/set', { create: { a: { title: 'x' } } })).error).toBe(
    'serverFail',
  );
  expect(String(own.failures[0]?.error)).toContain('8 deep');
  expect((await own.call('Widget/get', { ids: null })).list).toEqual([]);
});

test('afterCommit runs after the answer, once; what it throws is logged and changes nothing', async () => {
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
