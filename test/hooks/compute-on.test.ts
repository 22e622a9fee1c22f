import { expect, test } from 'vitest';
import { todoType } from '../../generated/todos/Todo.definition.js';
import { type Json, Rig } from '../methods/rig.js';
import { Widget } from '../methods/widget.js';

test('computeOn runs only when a source property changed, and its values are stored', async () => {
  const sources = [{ type: 'Widget', property: 'title' }];
  const widget = {
    ...Widget,
    properties: Widget.properties.map((property) =>
      property.name === 'count'
        ? { ...property, computed: { kind: 'on', sources } as const }
        : property,
    ),
  };
  let asked = 0;
  const count = async ({ Widget: changes }: Json): Promise<Map<string, number>> => {
    asked += 1;
    const all: Json[] = [...changes.created, ...changes.updated.map(({ after }: Json) => after)];
    return new Map(all.map(({ id, title }) => [id, title.length]));
  };
  const rig = new Rig({}, { widget, hooks: { types: { Widget: { computeOn: { count } } } } });
  try {
    const [id = ''] = await rig.create('Widget', [{ title: 'four' }]);
    const get = async (): Promise<Json> => (await rig.call('Widget/get', { ids: [id] })).list[0];
    expect((await get()).count).toBe(4);
    await rig.call('Widget/set', { update: { [id]: { title: 'sixsix' } } });
    expect((await get()).count).toBe(6);
    const before = asked;
    await rig.call('Widget/set', { update: { [id]: { rankNumber: 3 } } });
    expect(asked).toBe(before);
  } finally {
    await rig.close();
  }
});

test('computeOn follows another capability’s type and fills an unwritten singleton', async () => {
  const sources = [{ type: 'Todo', property: 'text' }];
  const widget = {
    ...Widget,
    singleton: true as const,
    properties: Widget.properties.map((property) => {
      if (property.name === 'title') return { ...property, required: false, default: 'none' };
      return ['count', 'rankNumber'].includes(property.name)
        ? { ...property, computed: { kind: 'on', sources } as const }
        : property;
    }),
  };
  const count = async (
    _changes: Json,
    _call: unknown,
    reader: Json,
  ): Promise<Map<string, number>> =>
    new Map([['singleton', (await reader.get(todoType, null)).length]]);
  const computeOn = { count, rankNumber: count };
  const rig = new Rig({}, { widget, hooks: { types: { Widget: { computeOn } } } });
  try {
    const get = async (): Promise<Json> => (await rig.call('Widget/get', { ids: null })).list[0];
    const { state } = await rig.call('Widget/get', { ids: [] });
    expect(await get()).toMatchObject({ count: 0, title: 'none' });
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    const values = { count: 2, rankNumber: 2, title: 'none' };
    expect(await get()).toMatchObject({ id: 'singleton', ...values });
    const changes = await rig.call('Widget/changes', { sinceState: state });
    expect([changes.created, changes.updated]).toEqual([[], ['singleton']]);
    const [todo] = await rig.create('Todo', [{ text: 'c' }]);
    await rig.call('Todo/set', { destroy: [todo] });
    expect(await get()).toMatchObject({ count: 2 });
  } finally {
    await rig.close();
  }
});
