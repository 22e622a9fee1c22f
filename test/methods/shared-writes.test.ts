import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig } from './rig.js';

/**
 * Calls that wait at the same time share a transaction: each sees what those before it have
 * written.
 */

let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

async function statements(work: () => Promise<unknown>): Promise<number> {
  const before = rig.statements.length;
  await work();
  return rig.statements.length - before;
}

const update = (id: string, patch: object): Promise<Json> =>
  rig.call('Todo/set', { update: { [id]: patch } });

async function texts(ids: readonly string[]): Promise<readonly string[]> {
  const { list } = await rig.call('Todo/get', { ids, properties: ['text'] });
  return list.map(({ text }: Json) => text);
}

describe('updates that share a transaction', () => {
  it('number their states on', async () => {
    const ids = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    let state = ids.length;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const wanted = ids.map((id) => `${id} ${attempt}`);
      const each = async (): Promise<void> => {
        const updates = ids.map((id, index) => update(id, { text: wanted[index] ?? '' }));
        for (const { oldState, newState } of await Promise.all(updates)) {
          expect([oldState, newState]).toEqual([`${state}`, `${state + 1}`]);
          state += 1;
        }
      };
      // State, object, row, counter and record of each.
      expect(await statements(each)).toBe(3 * 5);
      expect(await texts(ids)).toEqual(wanted);
    }
  });

  it('see what those before them have written to the same object', async () => {
    const [a = '', b = ''] = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    const answers = await Promise.all([
      update(b, { text: 'x' }),
      update(a, { text: 'y' }),
      update(a, { done: true }),
      update(a, { text: 'y' }),
    ]);
    // The last one changes nothing.
    expect(answers.at(-1)).toMatchObject({ oldState: '5', newState: '5', updated: { [a]: null } });
    const { list } = await rig.call('Todo/get', { ids: [a] });
    expect(list[0]).toMatchObject({ text: 'y', done: true });
  });

  it('miss what those before them have destroyed', async () => {
    const [a = '', b = ''] = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    const [, , late] = await Promise.all([
      update(b, { text: 'x' }),
      rig.call('Todo/set', { destroy: [a] }),
      update(a, { text: 'y' }),
    ]);
    expect(late.notUpdated[a].type).toBe('notFound');
  });

  it('see nothing of one before them that was undone', async () => {
    const [a = '', b = ''] = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    const [, undone, next] = await Promise.all([
      update(b, { text: 'x' }),
      rig.services.store
        .write('a1', { deadline: performance.now() + 60_000 }, async (transaction) => {
          const type = rig.services.registry.dataTypes.get('Todo');
          if (type === undefined) throw new Error('There is no Todo.');
          await transaction.destroy(type, [a]);
          await transaction.record(type, [{ objectId: a, kind: 'destroyed' }]);
          throw new Error('undone');
        })
        .catch((error: unknown) => String(error)),
      update(a, { done: true }),
    ]);
    expect(undone).toBe('Error: undone');
    expect(next).toMatchObject({ oldState: '3', newState: '4' });
    expect(await texts([a, b])).toEqual(['a', 'x']);
  });

  it.each([
    ['Widget', 'title', 'a'],
    ['Note', 'body', 'ö'.repeat(9000)],
  ])('change a %s', async (type, property, value) => {
    const more = type === 'Note' ? { title: 't' } : {};
    const ids = await rig.create(type, [
      { ...more, [property]: 'b' },
      { ...more, [property]: value },
    ]);
    const set = (id: string) =>
      rig.call(`${type}/set`, { update: { [id]: { [property]: 'new' } } });
    const answers = await Promise.all(ids.map(set));
    expect(answers.map(({ notUpdated }) => notUpdated)).toEqual([null, null]);
    const { list } = await rig.call(`${type}/get`, { ids });
    expect(list.map((one: Json) => one[property])).toEqual(['new', 'new']);
  });

  it('of several accounts keep to their own', async () => {
    const [a = ''] = await rig.create('Todo', [{ text: 'a' }]);
    const other = { accountId: 'a2', create: { k: { text: 'b' } } };
    const { created } = await rig.call('Todo/set', other);
    const [mine, theirs, wrong] = await Promise.all([
      update(a, { text: 'mine' }),
      rig.call('Todo/set', { accountId: 'a2', update: { [created.k.id]: { text: 'theirs' } } }),
      rig.call('Todo/set', { accountId: 'a2', update: { [a]: { text: 'wrong' } } }),
    ]);
    expect(mine.newState).toBe('2');
    expect(theirs.newState).toBe('2');
    expect(wrong.notUpdated[a].type).toBe('notFound');
  });
});
