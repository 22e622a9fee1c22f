import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Rig, U1 } from './rig.js';

let rig: Rig;
let id: string;

beforeEach(async () => {
  rig = new Rig({ maxObjectsInSet: 3 });
  [id] = (await rig.create('Widget', [{ title: 'w', tags: { a: true }, rankNumber: 2 }])) as [
    string,
  ];
});
afterEach(() => rig.close());

async function copy(create: Json, more: object = {}): Promise<Json> {
  return rig.call('Widget/copy', { fromAccountId: 'a1', accountId: 'a2', create, ...more });
}

async function objects(accountId: string): Promise<Json[]> {
  return (await rig.call('Widget/get', { accountId, ids: null })).list;
}

describe('RFC 8620 5.4: /copy', () => {
  it('makes an equal object under a new id and keeps the original', async () => {
    const response = await copy({ k: { id } });
    expect(response).toMatchObject({ fromAccountId: 'a1', accountId: 'a2', notCreated: null });
    expect(response).toMatchObject({ oldState: '0', newState: '1' });
    const made = response.created.k;
    expect(Object.keys(made).sort()).toEqual(['count', 'created', 'id', 'updated']);
    const [original] = await objects('a1');
    expect(await objects('a2')).toEqual([{ ...original, ...made }]);
    expect(made.id).not.toBe(id);
  });

  it('overrides are used instead and judged like those of a create', async () => {
    const due = '2026-01-01T00:00:00.000Z';
    const response = await copy({
      good: { id, rank_number: 5, kind: 'large', due },
      bad: { id, foo: 1, created: null, title: null },
    });
    expect(response.created.good).toMatchObject({ due: '2026-01-01T00:00:00Z' });
    expect(response.created.good).not.toHaveProperty('rankNumber');
    expect(response.notCreated.bad.type).toBe('invalidProperties');
    expect(response.notCreated.bad.properties.toSorted()).toEqual(['created', 'foo', 'title']);
    expect(await objects('a2')).toMatchObject([
      { title: 'w', rankNumber: 5, kind: 'large', tags: { a: true } },
    ]);
  });

  it.each([[{}], [{ title: 'x' }], [{ id: 3 }], [{ id: null }], [null], ['x']])(
    'refuses %j, which has no id of an original',
    async (object) => {
      const { created, notCreated } = await copy({ k: object });
      expect(created).toBeNull();
      expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['id'] });
    },
  );

  it('answers notFound for an original that is not there', async () => {
    const [elsewhere] = (await copy({ k: { id } })).created.k.id;
    const response = await copy({ a: { id: 'nope' }, b: { id: '#nope' }, c: { id: elsewhere } });
    expect(Object.values<Json>(response.notCreated).map(({ type }) => type)).toEqual([
      'notFound',
      'notFound',
      'notFound',
    ]);
    expect(response).toMatchObject({ created: null, oldState: '1', newState: '1' });
  });

  it.each([
    ['refuses an unknown source account', { fromAccountId: 'zz' }, 'fromAccountNotFound'],
    ['refuses a source account out of reach', { fromAccountId: 'ax' }, 'fromAccountNotFound'],
    [
      'refuses a source account without the type',
      { fromAccountId: 'an' },
      'fromAccountNotSupportedByMethod',
    ],
    ['refuses to copy within one account', { accountId: 'a1' }, 'invalidArguments'],
    ['refuses an unknown target account', { accountId: 'zz' }, 'accountNotFound'],
    ['refuses a read-only target account', { accountId: 'ar' }, 'accountReadOnly'],
    ['refuses a stale ifFromInState', { ifFromInState: '0' }, 'stateMismatch'],
    ['refuses a stale ifInState', { ifInState: '1' }, 'stateMismatch'],
  ])('%s', async (_, more, error) => {
    expect((await copy({ k: { id } }, more)).error).toBe(error);
    expect(await objects('a2')).toEqual([]);
  });

  it('takes current states, and a read-only source', async () => {
    const states = { ifFromInState: '1', ifInState: '0' };
    expect((await copy({ k: { id } }, states)).created).toHaveProperty('k');
    const nothing = await copy({ k: { id } }, { fromAccountId: 'ar' });
    expect(nothing.notCreated.k.type).toBe('notFound');
  });

  it('is a creation in the target, and its creation id can be used', async () => {
    const answers = await rig.calls([
      ['Widget/copy', { fromAccountId: 'a1', accountId: 'a2', create: { k: { id } } }],
      ['Widget/get', { accountId: 'a2', ids: ['#k'], properties: [] }],
      ['Widget/changes', { accountId: 'a2', sinceState: '0' }],
    ]);
    const made = answers[0]?.[1].created.k.id;
    expect(answers[1]?.[1].list).toEqual([{ id: made }]);
    expect(answers[2]?.[1].created).toEqual([made]);
  });

  it('refuses more copies than maxObjectsInSet', async () => {
    const create = { a: { id }, b: { id }, c: { id }, d: { id } };
    expect((await copy(create)).error).toBe('requestTooLarge');
  });
});

describe('RFC 8620 5.4: onSuccessDestroyOriginal', () => {
  const call = (create: object, more: object = {}): readonly [string, object, string] => [
    'Widget/copy',
    { fromAccountId: 'a1', accountId: 'a2', onSuccessDestroyOriginal: true, create, ...more },
    'x',
  ];

  it('destroys copied originals by a second response under the same call id', async () => {
    const [other] = await rig.create('Widget', [{ title: 'other' }]);
    const { methodResponses } = await rig.request([
      call({ a: { id }, b: { id }, c: { id: other, foo: 1 } }),
      ['Core/echo', { '#a': { resultOf: 'x', name: 'Widget/copy', path: '/accountId' } }, 'y'],
      ['Core/echo', { '#a': { resultOf: 'x', name: 'Widget/set', path: '/accountId' } }, 'z'],
    ]);
    expect(methodResponses.map((triple: Json) => [triple[0], triple[2]])).toEqual([
      ['Widget/copy', 'x'],
      ['Widget/set', 'x'],
      ['Core/echo', 'y'],
      ['error', 'z'],
    ]);
    expect(methodResponses[1][1]).toMatchObject({ accountId: 'a1', destroyed: [id] });
    expect(await objects('a1')).toMatchObject([{ id: other }]);
  });

  it('a stale destroyFromIfInState leaves the copies', async () => {
    const answers = await rig.calls([call({ a: { id } }, { destroyFromIfInState: '0' })]);
    expect(answers.map(([name, args]) => args.type ?? name)).toEqual([
      'Widget/copy',
      'stateMismatch',
    ]);
    expect(await objects('a1')).toHaveLength(1);
    expect(await objects('a2')).toHaveLength(1);
  });

  it('destroys nothing, and sends no second response, if nothing was copied', async () => {
    expect(await rig.calls([call({ a: { id: 'nope' } })])).toHaveLength(1);
    expect(await rig.calls([call({ a: { id } }, { ifInState: '7' })])).toHaveLength(1);
    expect(await objects('a1')).toHaveLength(1);
  });

  it('the second response is accountReadOnly if the source is read-only', async () => {
    const accounts = new Map(U1.accounts);
    const source = U1.accounts.get('a1');
    if (source !== undefined) accounts.set('a1', { ...source, isReadOnly: true });
    const answers = await rig.calls([call({ a: { id } })], { user: { ...U1, accounts } });
    expect(answers.map(([name, args]) => args.type ?? name)).toEqual([
      'Widget/copy',
      'accountReadOnly',
    ]);
    expect(await objects('a1')).toHaveLength(1);
  });
});

describe('RFC 8620 5.4: blobs of copied objects', () => {
  it('are copied under new ids, which the answer reports', async () => {
    const one = await rig.upload('one');
    const two = await rig.upload('two', undefined, 'a2');
    const [widget] = await rig.create('Widget', [{ title: 'b', blobId: one, iconId: one }]);
    const response = await copy({
      k: { id: widget },
      l: { id: widget, iconId: two, blobId: null },
    });
    const { k, l } = response.created;
    expect(k.blobId).toBe(k.iconId);
    expect(k.blobId).not.toBe(one);
    expect(l).not.toHaveProperty('iconId');
    const lookup = await rig.call('Blob/lookup', {
      accountId: 'a2',
      ids: [k.blobId, two],
      typeNames: ['Widget'],
    });
    expect(lookup.list.map((entry: Json) => entry.matchedIds.Widget)).toEqual([[k.id], [l.id]]);
    const read = await rig.call('Blob/get', { accountId: 'a2', ids: [k.blobId] });
    expect(read.list).toMatchObject([{ 'data:asText': 'one', size: 3 }]);
  });

  it('an override must name a blob of the target', async () => {
    const one = await rig.upload('one');
    const { notCreated } = await copy({ k: { id, blobId: one } });
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['blobId'] });
    const nameless = await copy({ k: { blobId: one, foo: 1 } });
    expect(nameless.notCreated.k.properties).toEqual(['id', 'foo', 'blobId']);
  });

  it('a copy that fails leaves no octets behind', async () => {
    const one = await rig.upload('one');
    const [widget] = await rig.create('Widget', [{ title: 'b', blobId: one }]);
    const files = rig.blobFiles();
    await copy({ k: { id: widget } }, { ifInState: '9' });
    await copy({ k: { id: widget, iconId: 'bnope' } });
    expect(rig.blobFiles()).toBe(files);
    await copy({ k: { id: widget } });
    expect(rig.blobFiles()).toBe(files + 1);
  });
});
