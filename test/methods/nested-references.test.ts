import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { openTasks, tasks } from './nested-references-rig.js';
import { CORE, type Json } from './rig.js';

const using = [CORE, tasks.capability.urn];
const postgresql = usePostgresql();
let opened: Awaited<ReturnType<typeof openTasks>>;

const call = (name: string, args: object, settings = {}): Promise<Json> =>
  opened.rig.call(name, args, { using, ...settings });

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
async function records(...ids: readonly string[]): Promise<readonly Json[]> {
  const all = await opened.rows(
    `SELECT "fromId", "property", "toId" FROM "JmapReference" ORDER BY "property", "toId"`,
  );
  return all.filter((row: Json) => ids.includes(row.fromId));
}

describe.each(['SQLite', 'PostgreSQL'])('references within values on %s', (engine) => {
  beforeAll(async () => {
    const isShared = engine === 'PostgreSQL';
    opened = await openTasks(isShared ? await postgresql().createDatabase('nested') : null);
  });
  afterAll(() => opened.close());

  describe('a creation id within a value', () => {
    it('stands for the object that this or an earlier call creates, at every place', async () => {
      const late = {
        steps: [{ text: 'one' }, { taskId: '#first' }],
        needs: { mainId: '#first', x: '#first' },
      };
      const [people, made] = (await opened.rig.calls(
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
        const [[, answer]] = (await opened.rig.calls([['Task/set', args]], {
          using,
          createdIds,
        })) as [[string, Json]];
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
      expect((await records(id)).map(({ property }) => property)).toEqual([
        'needs/*',
        'needs/mainId',
      ]);
      await change(id, { needs: { y: a } });
      expect((await destroy('Task', a)).notDestroyed[a]).toMatchObject(linked);
      await change(id, { 'needs/y': null });
      expect(await records(id)).toEqual([]);
      expect((await destroy('Task', a)).destroyed).toEqual([a]);
    });

    it('destroys by cascade, whatever else the object names', async () => {
      const [a, p] = [await put('Task', {}), await put('Person', {})];
      const id = await put('Task', { steps: [{}, { taskId: a }], crew: { [p]: {} } });
      const last = await put('Task', { steps: [{ taskId: id }] });
      const { destroyed } = await destroy('Task', a);
      expect([...destroyed].sort()).toEqual([a, id, last].sort());
      expect(await read('Person', p)).toMatchObject({ crews: 0 });
      expect(await records(a, id, last)).toEqual([]);
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

    it('takes out a member that may be absent but not null, by setNull', async () => {
      const [p, q] = [await put('Person', {}), await put('Person', {})];
      const id = await put('Task', { hints: [{ byId: p, text: 'x' }, { byId: p }, { byId: q }] });
      expect((await destroy('Person', p)).destroyed).toEqual([p]);
      expect((await read('Task', id)).hints).toEqual([{ text: 'x' }, {}, { byId: q }]);
      expect((await records(id)).map(({ toId }) => toId)).toEqual([q]);
      expect(await change(id, { title: 'it is still valid' })).not.toHaveProperty('type');
    });

    it('destroys by cascade what has it as a key, and keeps it where that is said', async () => {
      const [p, q] = [await put('Person', {}), await put('Person', {})];
      const fans = { [p]: [q, p], [q]: [p] };
      const [gone, kept] = [
        await put('Task', { owners: { [p]: 'x' } }),
        await put('Task', { fans }),
      ];
      expect((await destroy('Person', p)).destroyed).toEqual([p]);
      expect(await read('Task', gone)).toBeUndefined();
      expect((await read('Task', kept)).fans).toEqual(fans);
    });

    it('asks nobody about weak references, of which there are no records', async () => {
      const [p, q] = [await put('Person', {}), await put('Person', {})];
      const id = await put('Task', { crew: { [q]: { deputyId: p } } });
      expect((await records(id)).map(({ toId }) => toId)).toEqual([q]);
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

  // The rig counts statements of SQLite alone.
  if (engine === 'SQLite')
    it('they cost the statements of one, however many there are', async () => {
      const people = await Promise.all(Array.from({ length: 20 }, () => put('Person', {})));
      const statementsOf = async (values: object): Promise<number> => {
        opened.rig.statements.length = 0;
        await put('Task', values);
        return opened.rig.statements.length;
      };
      const one = await statementsOf({ seats: [people.slice(0, 1)] });
      expect(await statementsOf({ seats: [people, people.slice(3)] })).toBe(one);
    });
});
