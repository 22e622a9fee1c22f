import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Call, type Json, Rig } from './rig.js';

let rig: Rig;
let ids: string[];

beforeAll(async () => {
  rig = new Rig();
  ids = await rig.create('Todo', [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
});
afterAll(() => rig.close());

const query: Call = ['Todo/query', { accountId: 'a1' }, 'q'];

function reference(path: Json, resultOf: Json = 'q', name: Json = 'Todo/query'): object {
  return { resultOf, name, path };
}

/** The last answer's arguments of a /query and a /get that refers to it. */
async function getBy(args: object): Promise<Json> {
  const answers = await rig.calls([query, ['Todo/get', { accountId: 'a1', ...args }]]);
  return answers.at(-1)?.[1];
}

describe('RFC 8620 3.7: result references', () => {
  it('ids of a /query feed a /get', async () => {
    const { list } = await getBy({ '#ids': reference('/ids') });
    expect(list.map((todo: Json) => todo.id)).toEqual(ids);
  });

  it('a star collects in order, and /get answers duplicates once', async () => {
    const answers = await rig.calls([
      ['Core/echo', { list: ids.concat(ids).map((id) => ({ id, all: [id] })) }, 'e'],
      ['Todo/get', { accountId: 'a1', '#ids': reference('/list/*/id', 'e', 'Core/echo') }],
      ['Core/echo', { '#flat': reference('/list/*/all', 'e', 'Core/echo') }],
    ]);
    expect(answers[1]?.[1].list).toHaveLength(3);
    expect(answers[2]?.[1].flat).toEqual([...ids, ...ids]);
  });

  it('a star over an empty list is the empty list, and not all objects', async () => {
    const answers = await rig.calls([
      ['Core/echo', { list: [] }, 'e'],
      ['Todo/get', { accountId: 'a1', '#ids': reference('/list/*/id', 'e', 'Core/echo') }],
    ]);
    expect(answers[1]?.[1]).toMatchObject({ list: [], notFound: [] });
  });

  it('the empty path is the whole, and null stays null', async () => {
    const answers = await rig.calls([
      ['Core/echo', { ids: null }, 'e'],
      ['Core/echo', { '#whole': reference('', 'e', 'Core/echo') }],
      ['Todo/get', { accountId: 'a1', '#ids': reference('/ids', 'e', 'Core/echo') }],
    ]);
    expect(answers[1]?.[1]).toEqual({ whole: { ids: null } });
    expect(answers[2]?.[1].list).toHaveLength(3);
  });

  it.each([
    ['a path through a scalar', reference('/queryState/x')],
    ['a path without a slash', reference('ids')],
    ['a reference to no call', reference('/ids', 'nope')],
    ['a reference to its own call', reference('/ids', 'c1', 'Todo/get')],
    ['a reference by another method name', reference('/ids', 'q', 'Todo/get')],
    ['a star on an object', reference('/*')],
    ['a path to a member of the prototype', reference('/constructor')],
    ['a reference that is null', null],
    ['a reference that is a string', 'q'],
    ['a reference without a path', { resultOf: 'q', name: 'Todo/query' }],
    ['a reference whose path is a number', reference(1)],
  ])('%s does not resolve', async (_, value) => {
    expect((await getBy({ '#ids': value })).type).toBe('invalidResultReference');
  });

  it('Core/echo resolves references too', async () => {
    const answers = await rig.calls([['Core/echo', { '#x': 'text' }]]);
    expect(answers).toMatchObject([['error', { type: 'invalidResultReference' }]]);
  });

  it('a failed call has no response of its own name', async () => {
    const answers = await rig.calls([
      ['Todo/query', { accountId: 'nope' }, 'q'],
      ['Todo/get', { accountId: 'a1', '#ids': reference('/ids') }],
    ]);
    expect(answers[1]?.[1].type).toBe('invalidResultReference');
  });

  it('the first response counts if two calls have one id', async () => {
    const answers = await rig.calls([
      ['Core/echo', { n: 1 }, 'e'],
      ['Core/echo', { n: 2 }, 'e'],
      ['Core/echo', { '#n': reference('/n', 'e', 'Core/echo') }],
    ]);
    expect(answers[2]?.[1]).toEqual({ n: 1 });
  });

  it('an argument in both forms is invalid, further members are ignored', async () => {
    const both = await getBy({ ids: null, '#ids': reference('/ids') });
    expect(both.type).toBe('invalidArguments');
    const further = await getBy({ '#ids': { ...reference('/ids'), more: 1 } });
    expect(further.list).toHaveLength(3);
    const spelt = await getBy({ account_id: 'a1' });
    expect(spelt.type).toBe('invalidArguments');
  });

  it('judges the resolved value like any argument', async () => {
    expect((await getBy({ '#ids': reference('/queryState') })).type).toBe('invalidArguments');
  });

  it('any top-level argument can be one', async () => {
    const echo: Call = [
      'Core/echo',
      { accountId: 'a1', filter: { text: 'TW' }, limit: 1, sort: null, properties: ['text'] },
      'e',
    ];
    const of = (path: string): object => reference(path, 'e', 'Core/echo');
    const answers = await rig.calls([
      echo,
      [
        'Todo/query',
        { '#accountId': of('/accountId'), '#filter': of('/filter'), '#limit': of('/limit') },
        'q',
      ],
      [
        'Todo/get',
        {
          '#account_id': of('/accountId'),
          '#properties': of('/properties'),
          '#ids': reference('/ids'),
        },
      ],
    ]);
    expect(answers[1]?.[1].ids).toEqual([ids[1]]);
    expect(answers[2]?.[1].list).toEqual([{ id: ids[1], text: 'two' }]);
  });

  it('inside an object it is none, but an unknown property', async () => {
    const nested = { '#text': reference('/ids') };
    const answers = await rig.calls([
      query,
      ['Todo/set', { accountId: 'a1', create: { k: nested } }],
      ['Todo/query', { accountId: 'a1', filter: nested }],
    ]);
    expect(answers[1]?.[1].notCreated.k.properties).toContain('#text');
    expect(answers[2]?.[1].type).toBe('unsupportedFilter');
  });

  it('two uses of one result do not share their values', async () => {
    const value = { title: 'w', tags: { a: true } };
    const create = reference('/create', 'e', 'Core/echo');
    const answers = await rig.calls([
      ['Core/echo', { create: { k: value } }, 'e'],
      ['Widget/set', { accountId: 'a1', '#create': create }],
      ['Widget/set', { accountId: 'a1', update: { '#k': { 'tags/b': true } } }],
      ['Core/echo', { '#create': create }],
    ]);
    expect(answers[2]?.[1].notUpdated).toBeNull();
    expect(answers[3]?.[1]).toEqual({ create: { k: value } });
  });

  it('refuses a number that no double holds, by a reference too', async () => {
    const body = (number: string): string =>
      `{"using":["urn:ietf:params:jmap:core","urn:example:todos"],"methodCalls":[
        ["Core/echo",{"n":${number}},"e"],
        ["Todo/query",{"accountId":"a1",
          "#position":{"resultOf":"e","name":"Core/echo","path":"/n"}},"q"]]}`;
    expect(await rig.text(body('9007199254740993'))).toContain('"invalidArguments"');
    expect(await rig.text(body('1'))).toContain('"Todo/query"');
  });
});

describe('the octets that references put in', () => {
  let small: Rig;
  beforeEach(async () => {
    small = new Rig({ maxSizeRequest: 1000 });
    return () => small.close();
  });

  it('are counted over the request; a call that exceeds the limit is refused', async () => {
    // Each reference puts in 402 octets: a text of 400 and its quotes.
    const use: Call = ['Core/echo', { '#a': reference('/a', 'e', 'Core/echo') }];
    const answers = await small.calls([
      ['Core/echo', { a: 'x'.repeat(400) }, 'e'],
      use,
      use,
      use,
      ['Core/echo', {}],
    ]);
    expect(answers.map(([name, args]) => args.type ?? name)).toEqual([
      'Core/echo',
      'Core/echo',
      'Core/echo',
      'requestTooLarge',
      'Core/echo',
    ]);
  });

  it('can not be doubled 32 times', async () => {
    const calls: Call[] = [['Core/echo', { a: ['x'.repeat(20)] }, 'e0']];
    for (let index = 1; index < 32; index += 1) {
      const before = reference('', `e${index - 1}`, 'Core/echo');
      calls.push(['Core/echo', { '#a': before, '#b': before }, `e${index}`]);
    }
    const answers = await small.calls(calls);
    const types = answers.map(([name, args]) => args.type ?? name);
    expect(types).toContain('requestTooLarge');
    expect(JSON.stringify(answers).length).toBeLessThan(20_000);
  });
});

describe('RFC 8620 5.3: creation ids', () => {
  it('createdIds come back with the new ones if the request has them', async () => {
    const set: Call = ['Todo/set', { accountId: 'a1', create: { k: { text: 'k' } } }];
    expect(await rig.request([set])).not.toHaveProperty('createdIds');
    const { createdIds, methodResponses } = await rig.request([set], { createdIds: { x: 'id1' } });
    expect(createdIds).toEqual({ x: 'id1', k: methodResponses[0][1].created.k.id });
  });

  it('name objects in ids, update and destroy', async () => {
    const [id] = await rig.create('Todo', [{ text: 'given' }]);
    const answers = await rig.calls(
      [
        ['Todo/get', { accountId: 'a1', ids: ['#x', id], properties: [] }],
        ['Todo/set', { accountId: 'a1', update: { '#x': { done: true } } }],
        ['Todo/set', { accountId: 'a1', destroy: ['#x'] }],
      ],
      { createdIds: { x: id ?? '' } },
    );
    expect(answers[0]?.[1].list).toEqual([{ id }]);
    expect(Object.keys(answers[1]?.[1].updated)).toEqual([id]);
    expect(answers[2]?.[1].destroyed).toEqual([id]);
  });

  it('the later of two creations under one id counts', async () => {
    const answers = await rig.calls([
      ['Todo/set', { accountId: 'a1', create: { k: { text: 'first' } } }],
      ['Todo/set', { accountId: 'a1', create: { k: { text: 'second' } } }],
      ['Todo/get', { accountId: 'a1', ids: ['#k'] }],
    ]);
    expect(answers[2]?.[1].list[0].text).toBe('second');
  });

  it('an unknown one is notFound as it was sent', async () => {
    const { notFound } = await rig.call('Todo/get', { ids: ['#nope', '#nope'] });
    expect(notFound).toEqual(['#nope']);
  });

  it('in a text it is a text', async () => {
    const answers = await rig.calls([
      ['Todo/set', { accountId: 'a1', create: { k: { text: 'x' } } }],
      ['Todo/set', { accountId: 'a1', create: { l: { text: '#k' } } }],
      ['Todo/get', { accountId: 'a1', ids: ['#l'] }],
      ['Todo/query', { accountId: 'a1', filter: { text: '#k' } }],
    ]);
    expect(answers[2]?.[1].list[0].text).toBe('#k');
    expect(answers[3]?.[1].ids).toHaveLength(1);
  });

  it('createdIds have no creation that failed', async () => {
    const { createdIds } = await rig.request(
      [['Todo/set', { accountId: 'a1', ifInState: 'x', create: { k: { text: 'x' } } }]],
      { createdIds: {} },
    );
    expect(createdIds).toEqual({});
  });
});
