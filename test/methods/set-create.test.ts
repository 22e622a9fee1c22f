import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatUtcDate } from '../../src/protocol/dates.js';
import { timeOfId } from '../support/time-of-id.js';
import { type Json, Rig, WIDGETS } from './rig.js';

let rig: Rig;

beforeAll(() => {
  rig = new Rig({ maxObjectsInSet: 10 });
});
afterAll(() => rig.close());

async function create(type: string, object: Json): Promise<Json> {
  const { created, notCreated } = await rig.call(`${type}/set`, { create: { k: object } });
  return created === null ? notCreated.k : created.k;
}

async function stored(type: string, id: string): Promise<Json> {
  return (await rig.call(`${type}/get`, { ids: [id] })).list[0];
}

describe('RFC 8620 5.3: creates', () => {
  it('reports values that the client can not know', async () => {
    const made = await create('Todo', { text: 'a' });
    expect(Object.keys(made).sort()).toEqual(['created', 'done', 'id', 'updated']);
    expect(made.done).toBe(false);
    expect(made.updated).toBe(made.created);
    expect(made.created).toBe(formatUtcDate(timeOfId(made.id)));
    expect(await stored('Todo', made.id)).toEqual({ ...made, text: 'a' });
    expect(await create('Todo', { text: 'a', done: false })).not.toHaveProperty('done');
  });

  it('oldState and newState are the states of /get', async () => {
    const { state } = await rig.call('Todo/get', { ids: [] });
    const answer = await rig.call('Todo/set', { create: { a: { text: 'a' }, b: { text: 'b' } } });
    expect(answer.oldState).toBe(state);
    expect(answer.newState).toBe(`${Number(state) + 2}`);
    expect((await rig.call('Todo/get', { ids: [] })).state).toBe(answer.newState);
  });

  it.each([
    ['a missing property', {}, ['text']],
    ['an unknown property', { text: 'a', foo: 1 }, ['foo']],
    ['three faults at once', { text: 1, done: 'x', foo: null }, ['done', 'foo', 'text']],
    ['an unknown property that is null', { text: 'a', foo: null }, ['foo']],
    [
      'a server-set property',
      { text: 'a', id: 'x', created: null, updated: 'x' },
      ['created', 'id', 'updated'],
    ],
    ['null for a property that is not nullable', { text: 'a', done: null }, ['done']],
    ['a text with U+0000', { text: 'a\u0000b' }, ['text']],
    ['no object', 3, []],
    ['no object', null, []],
    ['no object', [], []],
    ['a text of 513 code points', { text: '😀'.repeat(513) }, ['text']],
  ])('refuses %s: %j is invalidProperties %j', async (_, object, properties) => {
    const error = await create('Todo', object);
    expect(error.type).toBe('invalidProperties');
    expect(error.properties.toSorted()).toEqual(properties);
    for (const name of properties) expect(error.description).toContain(`"${name}"`);
  });

  it('counts the length of a text in code points', async () => {
    expect(await create('Todo', { text: '😀'.repeat(512) })).toHaveProperty('id');
  });

  it('creates a good object beside a bad one', async () => {
    const response = await rig.call('Todo/set', { create: { good: { text: 'a' }, bad: {} } });
    expect(Object.keys(response.created)).toEqual(['good']);
    expect(Object.keys(response.notCreated)).toEqual(['bad']);
  });

  it('names of a prototype are plain unknown properties', async () => {
    const body = `{"using":["urn:example:todos"],"methodCalls":[["Todo/set",{"accountId":"a1",
      "create":{"k":{"text":"a","__proto__":{"done":true},"toString":1,"constructor":2}}},"c"]]}`;
    const [[, response]] = JSON.parse(await rig.text(body)).methodResponses;
    expect(response.notCreated.k.properties.toSorted()).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    expect({}).not.toHaveProperty('done');
  });

  it('names of a prototype are plain data as keys of a map and as creation ids', async () => {
    const body = `{"using":["${WIDGETS}"],"methodCalls":[["Widget/set",{"accountId":"a1",
      "create":{"__proto__":{"title":"a","tags":{"__proto__":true,"toString":true}}}},"c"],
      ["Widget/get",{"accountId":"a1","ids":["#__proto__"],"properties":["tags"]},"d"]]}`;
    const text = await rig.text(body);
    expect(text).toContain('"created":{"__proto__":{"id":"r');
    expect(text).toContain('"tags":{"__proto__":true,"toString":true}');
  });

  it('maxObjectsInSet counts creates, updates and distinct destroys together', async () => {
    const objects = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, { text: 'a' }]));
    const before = (await rig.call('Todo/get', { ids: [] })).state;
    const update = { x: {}, y: {} };
    const destroy = ['p', 'q', 'q', 'p'];
    const tooMany = await rig.call('Todo/set', { create: objects(7), update, destroy });
    expect(tooMany.error).toBe('requestTooLarge');
    expect((await rig.call('Todo/get', { ids: [] })).state).toBe(before);
    const enough = await rig.call('Todo/set', { create: objects(6), update, destroy });
    expect(Object.keys(enough.created)).toHaveLength(6);
  });

  it('takes snake_case for a type that opts in, one spelling at a time', async () => {
    const made = await create('Widget', { title: 'a', rank_number: 3 });
    expect(made).toMatchObject({ kind: 'small', count: 0 });
    expect(await stored('Widget', made.id)).toMatchObject({ rankNumber: 3 });
    const both = await create('Widget', { title: 'a', rank_number: 3, rankNumber: 3 });
    expect(both).toMatchObject({ type: 'invalidProperties', properties: ['rankNumber'] });
    const note = await create('Note', { ti_tle: 'a' });
    expect(note).toMatchObject({ type: 'invalidProperties', properties: ['ti_tle'] });
  });

  it('stores a date in one form, and reports it if it was sent in another', async () => {
    const made = await create('Widget', { title: 'a', due: '2026-01-02T03:04:05.1200Z' });
    expect(made.due).toBe('2026-01-02T03:04:05.12Z');
    expect(await stored('Widget', made.id)).toMatchObject({ due: made.due });
    const same = await create('Widget', { title: 'a', due: '2026-01-02T03:04:05Z' });
    expect(same).not.toHaveProperty('due');
  });

  it.each([
    '2026-01-02t03:04:05z',
    '2026-01-02T03:04:05+00:00',
    '2026-02-31T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-12-31T23:59:60Z',
    'tomorrow',
  ])('refuses %j as a UTCDate', async (due) => {
    const error = await create('Widget', { title: 'a', due });
    expect(error).toMatchObject({ type: 'invalidProperties', properties: ['due'] });
  });

  it('stores -0 as 0', async () => {
    const body = `{"using":["${WIDGETS}"],"methodCalls":[["Widget/set",{"accountId":"a1",
      "create":{"k":{"title":"a","score":-0.0,"rankNumber":-0}}},"c"],
      ["Widget/get",{"accountId":"a1","ids":["#k"],"properties":["score","rankNumber"]},"d"]]}`;
    expect(await rig.text(body)).toMatch(/"rankNumber":0,"score":0|"score":0,"rankNumber":0/);
  });

  it('RFC 8620 6: refuses a blob of another account or out of the user’s sight', async () => {
    const mine = await rig.upload('mine');
    const elsewhere = await rig.upload('there', undefined, 'a2');
    const made = await create('Widget', { title: 'a', blobId: mine, iconId: mine });
    expect(made).not.toHaveProperty('blobId');
    const error = await create('Widget', { title: 1, blobId: elsewhere, iconId: '#nope' });
    expect(error.type).toBe('invalidProperties');
    expect(error.properties.toSorted()).toEqual(['blobId', 'iconId', 'title']);
    const unknown = await create('Widget', { title: 1, blobId: 'bnope', iconId: '#nope' });
    expect(unknown.properties.toSorted()).toEqual(error.properties.toSorted());
  });
});
