import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { described } from './described-type.js';
import { CORE, type Json, Rig } from './rig.js';

/** `references` within the values of properties: all that it means at a property itself. */

const to = (type: string, onDestroy: string, more = {}) => ({
  type: 'string',
  references: type,
  onDestroy,
  ...more,
});
const orNull = { type: ['string', 'null'] };
const object = (properties: object, more = {}) => ({ type: 'object', properties, ...more });
const count = (type: string, by: string) => ({
  ...{ type: 'integer', access: 'serverSet', default: 0 },
  computed: { count: type, by },
});
const types = {
  Person: {
    properties: {
      name: { type: 'string', default: '' },
      leads: count('Task', 'plan/leadId'),
      crews: count('Task', 'crew'),
      seats: count('Task', 'seats/*/*'),
    },
  },
  Task: {
    properties: {
      title: { type: 'string', default: '' },
      plan: object(
        { leadId: to('Person', 'setNull', orNull), note: { type: 'string' } },
        { default: {} },
      ),
      steps: {
        type: 'array',
        items: object({ taskId: to('Task', 'cascade'), text: { type: 'string' } }),
        default: [],
      },
      needs: object(
        { mainId: to('Task', 'restrict', { acyclic: true }) },
        { additionalProperties: to('Task', 'restrict', { acyclic: true }), default: {} },
      ),
      crew: {
        type: 'object',
        propertyNames: { references: 'Person', onDestroy: 'setNull' },
        additionalProperties: object({
          role: { type: 'string' },
          deputyId: to('Person', 'keep', orNull),
        }),
        default: {},
      },
      seats: {
        type: 'array',
        items: {
          type: 'array',
          references: 'Person',
          onDestroy: 'setNull',
          items: { type: 'string' },
        },
        default: [],
      },
    },
  },
};

const tasks = described(types);
const using = [CORE, tasks.capability.urn];
let rig: Rig;

beforeAll(() => {
  rig = new Rig({}, { more: tasks });
});
afterAll(() => rig.close());

const call = (name: string, args: object, settings = {}): Promise<Json> =>
  rig.call(name, args, { using, ...settings });

async function put(type: string, values: object, accountId = 'a1'): Promise<string> {
  const create = { k: values };
  const { created, notCreated } = await call(`${type}/set`, { accountId, create });
  expect(notCreated ?? null).toBeNull();
  return created.k.id;
}

async function change(id: string, patch: object): Promise<Json> {
  const { updated, notUpdated } = await call('Task/set', { update: { [id]: patch } });
  return notUpdated?.[id] ?? updated[id];
}

const destroy = (type: string, ...ids: readonly string[]): Promise<Json> =>
  call(`${type}/set`, { destroy: ids });

async function read(type: string, id: string): Promise<Json> {
  const { list } = await call(`${type}/get`, { ids: [id] });
  return list[0];
}

/** The records of what these objects refer to. */
const records = (...ids: readonly string[]): readonly Json[] =>
  rig
    .rows(`SELECT "fromId", "property", "toId" FROM "JmapReference" ORDER BY "property", "toId"`)
    .filter((row: Json) => ids.includes(row.fromId));

describe('a creation id within a value', () => {
  it('stands for the object that this or an earlier call creates, at every place', async () => {
    const late = {
      steps: [{ text: 'one' }, { taskId: '#first' }],
      needs: { mainId: '#first', x: '#first' },
    };
    const [people, made] = (await rig.calls(
      [
        ['Person/set', { accountId: 'a1', create: { p: {}, q: {} } }],
        [
          'Task/set',
          {
            accountId: 'a1',
            create: {
              late: {
                ...late,
                plan: { leadId: '#p' },
                crew: { '#p': { deputyId: '#q' }, '#q': {} },
                seats: [['#p', '#q'], [], ['#q']],
              },
              first: { title: 'first' },
            },
          },
        ],
      ],
      { using },
    )) as [Json, Json];
    const { p, q } = people[1].created;
    const { first, late: told } = made[1].created;
    const expected = {
      steps: [{ text: 'one' }, { taskId: first.id }],
      needs: { mainId: first.id, x: first.id },
      plan: { leadId: p.id },
      crew: { [p.id]: { deputyId: q.id }, [q.id]: {} },
      seats: [[p.id, q.id], [], [q.id]],
    };
    expect(told).toMatchObject(expected);
    expect(await read('Task', told.id)).toMatchObject(expected);
    expect(await read('Person', q.id)).toMatchObject({ leads: 0, crews: 1, seats: 1 });
    expect(await read('Person', p.id)).toMatchObject({ leads: 1, crews: 1, seats: 1 });
  });

  it('stands for it in a patch, as a key of any level and as what is set', async () => {
    const [p, q] = [await put('Person', {}), await put('Person', {})];
    const id = await put('Task', { crew: { [p]: { role: 'a' } } });
    const createdIds = { p, q };
    const patch = async (values: object): Promise<Json> => {
      const args = { accountId: 'a1', update: { [id]: values }, create: { k: {} } };
      const [[, answer]] = (await rig.calls([['Task/set', args]], { using, createdIds })) as [
        [string, Json],
      ];
      return answer;
    };
    const { updated, created } = await patch({
      'crew/#p/deputyId': '#q',
      'crew/#q': { role: 'b' },
      'plan/leadId': '#p',
      'needs/mainId': '#k',
    });
    expect(updated[id]).toMatchObject({ needs: { mainId: created.k.id } });
    expect(await read('Task', id)).toMatchObject({
      crew: { [p]: { role: 'a', deputyId: q }, [q]: { role: 'b' } },
      plan: { leadId: p },
      needs: { mainId: created.k.id },
    });
    expect((await patch({ 'crew/#p': null })).notUpdated).toBeNull();
    expect((await read('Task', id)).crew).toEqual({ [q]: { role: 'b' } });
    for (const pointer of ['crew/#nobody', 'needs/mainId'])
      expect((await patch({ [pointer]: '#nobody' })).notUpdated[id]).toMatchObject({
        type: 'invalidProperties',
        properties: [pointer.split('/')[0]],
      });
  });

  it('makes no order of creates that refer to one another in a circle', async () => {
    const create = { a: { steps: [{ taskId: '#b' }] }, b: { needs: { x: '#a' } }, c: {} };
    const { created, notCreated } = await call('Task/set', { create });
    expect(Object.keys(created)).toEqual(['c']);
    expect(notCreated).toMatchObject({
      a: { properties: ['steps'] },
      b: { properties: ['needs'] },
    });
  });
});

describe('an id within a value that names nothing', () => {
  it.each([
    [
      'a member',
      { plan: { leadId: 'no' } },
      'plan',
      '"plan" refers at "leadId" to "no", which is no Person',
    ],
    ['a member of an item', { steps: [{}, { taskId: 'no' }] }, 'steps', 'at "1/taskId" to "no"'],
    ['a value of a map', { needs: { 'a/b': 'no' } }, 'needs', 'at "a~1b" to "no"'],
    ['a key', { crew: { no: {} } }, 'crew', '"crew" refers to "no"'],
    ['an item of an item', { seats: [[], ['no']] }, 'seats', 'at "1/0" to "no"'],
    ['a creation id', { steps: [{ taskId: '#no' }] }, 'steps', 'at "0/taskId" to a creation id'],
  ])('%s', async (_, values, name, why) => {
    const { notCreated } = await call('Task/set', { create: { k: values } });
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: [name] });
    expect(notCreated.k.description).toContain(why);
    const id = await put('Task', {});
    expect(await change(id, values)).toMatchObject({ properties: [name] });
  });

  it('stays, where an update changes another part of the value', async () => {
    const [p, q] = [await put('Person', {}), await put('Person', {})];
    const id = await put('Task', { crew: { [q]: { deputyId: p } } });
    expect((await destroy('Person', p)).destroyed).toEqual([p]);
    expect((await read('Task', id)).crew).toEqual({ [q]: { deputyId: p } });
    expect(await change(id, { [`crew/${q}/role`]: 'x' })).not.toHaveProperty('type');
    const refused = await change(id, { crew: { [p]: {} } });
    expect(refused).toMatchObject({ type: 'invalidProperties', properties: ['crew'] });
  });

  it('is every id of the source account in a copy', async () => {
    const p = await put('Person', {});
    const id = await put('Task', { plan: { leadId: p } });
    const copy = (more: object) =>
      call('Task/copy', { accountId: 'a2', fromAccountId: 'a1', create: { k: { id, ...more } } });
    expect((await copy({})).notCreated.k).toMatchObject({ properties: ['plan'] });
    expect((await copy({ plan: {} })).notCreated).toBeNull();
  });
});

describe('a destroy of what values name', () => {
  it('is refused by restrict, and by the last of two places alone', async () => {
    const a = await put('Task', {});
    const id = await put('Task', { needs: { mainId: a, x: a, y: a } });
    const linked = { type: 'objectIsLinked', objectIds: [id] };
    expect((await destroy('Task', a)).notDestroyed[a]).toMatchObject(linked);
    expect(records(id).map(({ property }) => property)).toEqual(['needs/*', 'needs/mainId']);
    await change(id, { needs: { y: a } });
    expect((await destroy('Task', a)).notDestroyed[a]).toMatchObject(linked);
    await change(id, { 'needs/y': null });
    expect(records(id)).toEqual([]);
    expect((await destroy('Task', a)).destroyed).toEqual([a]);
  });

  it('destroys by cascade, whatever else the object names', async () => {
    const [a, p] = [await put('Task', {}), await put('Person', {})];
    const id = await put('Task', { steps: [{}, { taskId: a }], crew: { [p]: {} } });
    const last = await put('Task', { steps: [{ taskId: id }] });
    const { destroyed } = await destroy('Task', a);
    expect([...destroyed].sort()).toEqual([a, id, last].sort());
    expect(await read('Person', p)).toMatchObject({ crews: 0 });
    expect(records(a, id, last)).toEqual([]);
  });

  it('takes out entries of lists, sets and maps by setNull, and nulls members', async () => {
    const [p, q] = [await put('Person', {}), await put('Person', {})];
    const id = await put('Task', {
      plan: { leadId: p, note: 'n' },
      crew: { [p]: { role: 'a' }, [q]: { role: 'b', deputyId: p } },
      seats: [[p, q, p], [p]],
    });
    const { newState } = await call('Task/set', {});
    expect((await destroy('Person', p)).destroyed).toEqual([p]);
    expect(await read('Task', id)).toMatchObject({
      plan: { leadId: null, note: 'n' },
      crew: { [q]: { role: 'b', deputyId: p } },
      seats: [[q], []],
    });
    const { updated } = await call('Task/changes', { sinceState: newState });
    expect(updated).toEqual([id]);
    expect(await read('Person', q)).toMatchObject({ crews: 1, seats: 1 });
  });

  it('asks nobody about weak references, of which there are no records', async () => {
    const [p, q] = [await put('Person', {}), await put('Person', {})];
    const id = await put('Task', { crew: { [q]: { deputyId: p } } });
    expect(records(id).map(({ toId }) => toId)).toEqual([q]);
    const { newState } = await call('Task/set', {});
    expect((await destroy('Person', p)).destroyed).toEqual([p]);
    expect((await call('Task/set', {})).oldState).toBe(newState);
  });
});

it('objects lead back to themselves by no acyclic reference within a value', async () => {
  const a = await put('Task', {});
  const b = await put('Task', { needs: { mainId: a } });
  const c = await put('Task', { needs: { mainId: b } });
  expect(await change(a, { 'needs/mainId': c })).toMatchObject({
    type: 'invalidProperties',
    properties: ['needs'],
  });
  // Another reference is a way of its own.
  expect(await change(a, { 'needs/x': c })).not.toHaveProperty('type');
});

it('references within values cost the statements of one, however many there are', async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => put('Person', {})));
  const statementsOf = async (values: object): Promise<number> => {
    rig.statements.length = 0;
    await put('Task', values);
    return rig.statements.length;
  };
  const one = await statementsOf({ seats: [people.slice(0, 1)] });
  expect(await statementsOf({ seats: [people, people.slice(3)] })).toBe(one);
});
