import { expect, test } from 'vitest';
import { type Json, Rig } from '../rig.js';
import { Widget } from '../widget.js';

test('computeOn is asked when a source property changed, not for others, and its values are stored', async () => {
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
