import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig, U2, WIDGETS } from './rig.js';

let rig: Rig;
let id: string;

beforeEach(async () => {
  rig = new Rig();
  rig.time = Date.UTC(2026, 0, 1);
  [id] = (await rig.create('Widget', [
    {
      title: 'w',
      tags: { a: true },
      meta: { a: { b: 1 } },
      list: ['x', 'y'],
      due: '2026-01-01T00:00:00Z',
    },
  ])) as [string];
  rig.time += 1000;
});
afterEach(() => rig.close());

const LATER = '2026-01-01T00:00:01Z';

async function update(patch: Json, key = id): Promise<Json> {
  return rig.call('Widget/set', { update: { [key]: patch } });
}

async function current(type = 'Widget', of = id): Promise<Json> {
  return (await rig.call(`${type}/get`, { ids: [of] })).list[0];
}

async function refused(patch: Json): Promise<Json> {
  const before = await current();
  const { notUpdated, updated, oldState, newState } = await update(patch);
  expect(updated).toBeNull();
  expect(newState).toBe(oldState);
  expect(await current()).toEqual(before);
  return notUpdated[id];
}

describe('RFC 8620 5.3: updates', () => {
  it('reports `updated` alone if all else is as sent', async () => {
    const response = await update({ title: 'v' });
    expect(response.updated).toEqual({ [id]: { updated: LATER } });
    expect(await current()).toMatchObject({ title: 'v', updated: LATER });
  });

  it('a whole object sent back is no mutation', async () => {
    const object = await current();
    const response = await update(object);
    expect(response).toMatchObject({ oldState: '1', newState: '1', updated: { [id]: null } });
    expect(await current()).toEqual(object);
    expect((await update({})).updated).toEqual({ [id]: null });
  });

  it('takes server-set properties that have their current values', async () => {
    const object = await current();
    const response = await update({ ...object, title: 'v' });
    expect(response.updated).toEqual({ [id]: { updated: LATER } });
    const dated = await update({ created: '2026-01-01T00:00:00.000Z', title: 'u' });
    expect(dated.notUpdated).toBeNull();
  });

  it.each([
    ['an unknown property', { foo: null, bar: 1 }, ['bar', 'foo']],
    ['another value of an immutable property', { kind: 'large' }, ['kind']],
    [
      'another value of a server-set property',
      { id: 'x', count: 5, updated: null },
      ['count', 'id', 'updated'],
    ],
    ['several faults at once', { title: 1, foo: 1, kind: 'large' }, ['foo', 'kind', 'title']],
    ['null for a property without a default', { title: null }, ['title']],
    ['a value that the schema refuses', { rankNumber: 11 }, ['rankNumber']],
    ['a fault inside an object', { 'meta/a/b': 'x' }, ['meta']],
    ['a value that is no UTCDate', { due: '2026-13-01T00:00:00Z' }, ['due']],
    ['both spellings of a property', { rankNumber: 1, rank_number: 1 }, ['rankNumber']],
    [
      'both spellings of a property, one in a path',
      { rankNumber: 1, 'rank_number/x': 1 },
      ['rankNumber'],
    ],
    [
      'both spellings beside other faults',
      { rankNumber: 1, rank_number: 1, title: 1, foo: 1, blobId: 'bnope' },
      ['blobId', 'foo', 'rankNumber', 'title'],
    ],
    ['an unknown creation id', { blobId: '#nope' }, ['blobId']],
    ['an unknown blob', { blobId: 'bnope', title: 1 }, ['blobId', 'title']],
  ])('refuses %s: %j is invalidProperties %j', async (_, patch, properties) => {
    const error = await refused(patch);
    expect(error.type).toBe('invalidProperties');
    expect(error.properties.toSorted()).toEqual(properties);
    for (const name of properties) expect(error.description).toMatch(new RegExp(`"${name}["/]`));
  });

  it.each([
    ['a path whose parent is not there', { 'meta/x/y': 5 }],
    ['a removal whose parent is not there', { 'meta/x/y': null }],
    ['a path through a scalar', { 'title/x': 1 }],
    ['a path into an array', { 'list/0': 'z' }],
    ['two paths of which one is a prefix of the other', { 'meta/a': {}, 'meta/a/b': 1 }],
    ['a path with a bad escape', { 'tags/a~2': true }],
    ['a path through a prototype', { 'constructor/prototype/x': 1 }],
    ['no object', 3],
    ['no object', null],
    ['no object', []],
  ])('refuses %s: %j is invalidPatch', async (_, patch) => {
    expect((await refused(patch)).type).toBe('invalidPatch');
  });

  it('a path through __proto__ changes no prototype', async () => {
    const body = `{"using":["${WIDGETS}"],"methodCalls":[["Widget/set",{"accountId":"a1",
      "update":{"${id}":{"__proto__/x":1}}},"c"]]}`;
    expect(await rig.text(body)).toMatch(/"type":"invalid(Patch|Properties)"/);
    expect({}).not.toHaveProperty('x');
  });

  it('patches the keys of a map one by one', async () => {
    await update({ 'tags/foo': true, 'tags/foobar': true, 'tags/a~1b': true, 'tags/': true });
    expect((await current()).tags).toEqual({
      a: true,
      foo: true,
      foobar: true,
      'a/b': true,
      '': true,
    });
    await update({ 'tags/foo': null, 'tags/nope': null });
    expect((await current()).tags).not.toHaveProperty('foo');
    const noop = await update({ 'tags/nope': null });
    expect(noop.updated).toEqual({ [id]: null });
    await update({ tags: null });
    expect((await current()).tags).toEqual({});
  });

  it('null restores the default, and the answer says so', async () => {
    await update({ rank_number: 5 });
    const response = await update({ rankNumber: null, due: null });
    expect(response.updated[id]).toMatchObject({ rankNumber: 0 });
    expect(response.updated[id]).not.toHaveProperty('due');
    expect(await current()).toMatchObject({ rankNumber: 0, due: null });
  });

  it('reports a date in another form as stored', async () => {
    const response = await update({ due: '2026-02-01T00:00:00.500Z' });
    expect(response.updated[id]).toMatchObject({ due: '2026-02-01T00:00:00.5Z' });
    const same = await update({ due: '2026-02-01T00:00:00.5000Z' });
    expect(same.updated).toEqual({ [id]: null });
  });

  it('an update of an unknown object leaves the others alone', async () => {
    const patch = { title: 'v' };
    const response = await rig.call('Widget/set', { update: { nope: patch, [id]: patch } });
    expect(response.notUpdated).toMatchObject({ nope: { type: 'notFound' } });
    expect(Object.keys(response.updated)).toEqual([id]);
  });

  it('applies nothing of an update with one bad property', async () => {
    expect((await refused({ title: 'v', rankNumber: 99 })).properties).toEqual(['rankNumber']);
  });

  it('a clock that steps back never makes an object older', async () => {
    rig.time = Date.UTC(2020, 0, 1);
    expect((await update({ title: 'v' })).updated[id].updated).toBe('2026-01-01T00:00:00Z');
  });

  it('an object created and updated in one call is one record', async () => {
    const response = await rig.call('Widget/set', {
      create: { k: { title: 'new' } },
      update: { '#k': { title: 'newer' } },
    });
    const made = response.created.k.id;
    expect(response).toMatchObject({ oldState: '1', newState: '2', updated: { [made]: {} } });
    expect(await current('Widget', made)).toMatchObject({ title: 'newer' });
    const changes = await rig.call('Widget/changes', { sinceState: '1' });
    expect(changes).toMatchObject({ created: [made], updated: [] });
  });

  it('an object named by its id and by its creation id is updated twice in order', async () => {
    const [[, response]] = (await rig.calls(
      [
        [
          'Widget/set',
          { accountId: 'a1', update: { '#k': { title: 'v' }, [id]: { rankNumber: 2 } } },
        ],
      ],
      { createdIds: { k: id } },
    )) as [[string, Json]];
    expect(Object.keys(response.updated)).toEqual([id]);
    expect(response.newState).toBe('2');
    expect(await current()).toMatchObject({ title: 'v', rankNumber: 2 });
  });
});

describe('RFC 8620 5.3: destroys, states, order', () => {
  it('answers notFound under the key of an object that is not there', async () => {
    const first = await rig.call('Widget/set', { destroy: [id, '#nope', 'nope', id] });
    expect(first.destroyed).toEqual([id]);
    expect(Object.keys(first.notDestroyed)).toEqual(['#nope', 'nope']);
    expect(first.notDestroyed.nope.type).toBe('notFound');
    const second = await rig.call('Widget/set', { destroy: [id] });
    expect(second).toMatchObject({ destroyed: null, notDestroyed: { [id]: { type: 'notFound' } } });
    expect(second.newState).toBe(first.newState);
  });

  it('an update beside a destroy is willDestroy', async () => {
    const response = await rig.call('Widget/set', {
      update: { [id]: { title: 'v' } },
      destroy: [id],
    });
    expect(response).toMatchObject({
      destroyed: [id],
      updated: null,
      notUpdated: { [id]: { type: 'willDestroy' } },
    });
  });

  it.each(['0', '2', '', '01', 'x'])('refuses ifInState %j as stale', async (ifInState) => {
    const args = { ifInState, create: { k: { title: 'a' }, bad: 3 }, destroy: [id] };
    expect((await rig.call('Widget/set', args)).error).toBe('stateMismatch');
    expect((await rig.call('Widget/get', { ids: null })).list).toHaveLength(1);
  });

  it('takes the current ifInState or null, and refuses it a second time', async () => {
    const create = { k: { title: 'a' } };
    const args = { accountId: 'a1', ifInState: '1', create };
    const answers = await rig.calls([
      ['Widget/set', args],
      ['Widget/set', args],
      ['Widget/set', { ...args, ifInState: null }],
    ]);
    expect(answers.map(([name, response]) => response.type ?? name)).toEqual([
      'Widget/set',
      'stateMismatch',
      'Widget/set',
    ]);
  });

  it('null arguments are absent ones, and an empty call changes nothing', async () => {
    const response = await rig.call('Widget/set', { create: null, update: null, destroy: null });
    expect(response).toEqual({
      accountId: 'a1',
      oldState: '1',
      newState: '1',
      created: null,
      updated: null,
      destroyed: null,
      notCreated: null,
      notUpdated: null,
      notDestroyed: null,
    });
  });

  it('parallel calls have states of their own, and /changes has all objects', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => rig.call('Todo/set', { create: { k: { text: 'a' } } })),
    );
    const states = new Set(responses.map((response) => response.newState));
    expect(states.size).toBe(20);
    const ids = responses.map((response) => response.created.k.id);
    const changes = await rig.call('Todo/changes', { sinceState: '0' });
    expect(changes.created.toSorted()).toEqual(ids.toSorted());
  });

  it('a failed call leaves no record of blobs, objects or states', async () => {
    const blobId = await rig.upload('x');
    const args = { ifInState: '9', create: { k: { title: 'a', blobId } } };
    await rig.call('Widget/set', args);
    const other = await rig.call('Blob/get', { ids: [blobId] }, { user: U2 });
    expect(other.notFound).toEqual([blobId]);
  });
});

describe('RFC 9404 4.3: reference records', () => {
  const using = async (blobId: string): Promise<string[]> =>
    (await rig.call('Blob/lookup', { ids: [blobId], typeNames: ['Widget'] })).list[0].matchedIds
      .Widget;

  it('follow creates, updates and destroys; two properties make one', async () => {
    const one = await rig.upload('1');
    const two = await rig.upload('2');
    await update({ blobId: one, iconId: one });
    expect(await using(one)).toEqual([id]);
    await update({ iconId: two });
    expect([await using(one), await using(two)]).toEqual([[id], [id]]);
    await update({ blobId: null });
    expect([await using(one), await using(two)]).toEqual([[], [id]]);
    await rig.call('Widget/set', { create: { k: { title: 'a', blobId: two } }, destroy: [id] });
    expect(await using(two)).toHaveLength(1);
    expect(await using(two)).not.toContain(id);
  });

  it('another user may use a blob once something refers to it', async () => {
    const blobId = await rig.upload('1');
    const patch = { update: { [id]: { blobId } } };
    const before = await rig.call('Widget/set', patch, { user: U2 });
    expect(before.notUpdated[id]).toMatchObject({ properties: ['blobId'] });
    await rig.create('Widget', [{ title: 'a', blobId }]);
    const after = await rig.call('Widget/set', patch, { user: U2 });
    expect(after.notUpdated).toBeNull();
  });

  it('a create and a destroy of one call may both name the blob', async () => {
    const blobId = await rig.upload('1');
    await update({ blobId });
    const args = { create: { k: { title: 'a', blobId } }, destroy: [id] };
    const response = await rig.call('Widget/set', args, { user: U2 });
    expect(response).toMatchObject({ notCreated: null, destroyed: [id] });
    expect(await using(blobId)).toEqual([response.created.k.id]);
  });
});

describe('RFC 8620 8.5: depth', () => {
  /** An object whose member `a` holds such an object, `levels` times. */
  function nested(levels: number): Json {
    let value: Json = { b: 1 };
    for (let level = 1; level < levels; level += 1) value = { x: value };
    return value;
  }

  it('a value nested 64 levels is stored and read, a deeper one refused', async () => {
    expect((await update({ meta: { a: nested(63) } })).notUpdated).toBeNull();
    expect((await current()).meta).toEqual({ a: nested(63) });
    expect(await refused({ meta: { a: nested(64) } })).toMatchObject({
      type: 'invalidProperties',
      properties: ['meta'],
    });
  });

  it('patches can not deepen a value beyond that', async () => {
    await update({ meta: { a: nested(63) } });
    expect(await refused({ [`meta/a${'/x'.repeat(62)}/y`]: { z: {} } })).toMatchObject({
      type: 'invalidProperties',
      properties: ['meta'],
    });
  });
});
