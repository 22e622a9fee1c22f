import { afterEach, describe, expect, test } from 'vitest';
import type { TypeHooks } from '../../src/capability/hooks.js';
import type { JsonObject } from '../../src/protocol/json.js';
import { type Json, Rig } from '../methods/rig.js';

// RFC 8620 5.3 and 5.4: `created` and `updated` tell what the client can't know. They are compared
// with what the client sent, whatever a `before` hook made of it.

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

type Replace = (args: Json) => object;

function replacing(verb: 'set' | 'copy', replace: Replace): Rig {
  const hooks: TypeHooks<Json> = {
    methods: { [verb]: { before: (args: JsonObject) => replace(args) as JsonObject } },
  };
  rig = new Rig({}, { hooks: { types: { Widget: hooks } } });
  return rig;
}

const entries = (given: object, change: (entry: Json) => Json): Json =>
  Object.fromEntries(Object.entries(given).map(([key, entry]) => [key, change(entry)]));

describe('created of a /set', () => {
  test('has values that a hook changed, added or took out, not values stored as sent', async () => {
    const own = replacing('set', (args) => ({
      ...args,
      create: entries(args.create, ({ score, ...rest }) => ({
        ...rest,
        title: 'X',
        rankNumber: 3,
      })),
    }));
    const sent = { title: 'x', score: 1, list: ['a'] };
    const { created } = await own.call('Widget/set', { create: { k: sent } });
    expect(created.k).toMatchObject({ title: 'X', rankNumber: 3, score: null });
    expect(created.k).not.toHaveProperty('list');
  });

  test('leaves out what the hook gave as the client sent it, in snake_case too', async () => {
    const own = replacing('set', (args) => ({
      ...args,
      create: entries(args.create, () => ({ title: 'X', rankNumber: 3 })),
    }));
    const { created } = await own.call('Widget/set', {
      create: { k: { title: 'X', rank_number: 3 } },
    });
    expect(Object.keys(created.k)).not.toContain('title');
    expect(Object.keys(created.k)).not.toContain('rankNumber');
  });

  test('has all of an object that the client did not send, or sent as none', async () => {
    const own = replacing('set', (args) => ({
      ...args,
      create: { k: { title: 'mine' }, l: { title: 'too' } },
    }));
    const { created } = await own.call('Widget/set', { create: { k: 7 } });
    expect(created).toMatchObject({ k: { title: 'mine' }, l: { title: 'too' } });
  });

  test('has the same for many objects as for one', async () => {
    const own = replacing('set', (args) => ({
      ...args,
      create: entries(args.create, ({ title }) => ({ title: title.toUpperCase() })),
    }));
    const create = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`k${at}`, { title: `t${at}` }]),
    );
    const { created } = await own.call('Widget/set', { create });
    for (const [key, { title }] of Object.entries<Json>(created))
      expect(title).toBe(key.replace('k', 'T'));
  });
});

describe('updated of a /set', () => {
  const updating = (replace: Replace): Rig =>
    replacing('set', (args) => (args.update ? { ...args, update: replace(args.update) } : args));

  test('has values that a hook added to a patch or changed', async () => {
    const own = updating((update) =>
      entries(update, (patch) => ({ ...patch, title: 'X', 'meta/a': { b: 2 } })),
    );
    const [id = ''] = await own.create('Widget', [{ title: 'old', meta: { a: { b: 1 } } }]);
    const { updated } = await own.call('Widget/set', {
      update: { [id]: { title: 'x', rank_number: 5 } },
    });
    expect(updated[id]).toEqual({
      title: 'X',
      meta: { a: { b: 2 } },
      updated: expect.any(String),
    });
  });

  test('has values that a hook took out of a patch', async () => {
    const own = updating((update) => entries(update, ({ title, ...patch }) => patch));
    const [id = ''] = await own.create('Widget', [{ title: 'old' }]);
    const change = (patch: object) => own.call('Widget/set', { update: { [id]: patch } });
    const both = await change({ title: 'new', rankNumber: 5 });
    expect(both.updated[id]).toEqual({ title: 'old', updated: expect.any(String) });
    // Nothing changed, so `updated` didn't either.
    const none = await change({ title: 'new' });
    expect([none.updated[id], none.newState]).toEqual([{ title: 'old' }, none.oldState]);
    expect((await change({ title: 'old' })).updated).toEqual({ [id]: null });
  });

  test('has all changes of an object that the client named none of, or by no patch', async () => {
    let id = '';
    const own = updating(() => ({ [id]: { title: 'X' } }));
    [id = ''] = await own.create('Widget', [{ title: 'old' }]);
    const { updated } = await own.call('Widget/set', { update: { [id]: 'no patch' } });
    expect(updated[id]).toMatchObject({ title: 'X' });
  });
});

describe('created of a /copy', () => {
  const copy = async (own: Rig, entry: object): Promise<Json> => {
    const args = { fromAccountId: 'a1', accountId: 'a2', create: { c: entry } };
    const [[, { created }]] = (await own.calls([['Widget/copy', args]])) as [[string, Json]];
    return created.c;
  };

  test('has overrides that a hook added, changed or took out', async () => {
    const own = replacing('copy', (args) => ({
      ...args,
      create: entries(args.create, ({ score, ...rest }) => ({
        ...rest,
        title: 'X',
        rankNumber: 3,
      })),
    }));
    const [id = ''] = await own.create('Widget', [{ title: 'old', list: ['a'] }]);
    const created = await copy(own, { id, title: 'x', score: 1 });
    expect(created).toMatchObject({ title: 'X', rankNumber: 3, score: null });
    expect(created).not.toHaveProperty('list');
  });

  test('has all of a copy whose original a hook chose', async () => {
    let chosen = '';
    const own = replacing('copy', (args) => ({ ...args, create: { c: { id: chosen } } }));
    const [id = '', other = ''] = await own.create('Widget', [{ title: 'a' }, { title: 'b' }]);
    chosen = other;
    expect(await copy(own, { id })).toMatchObject({ title: 'b', rankNumber: 0 });
    chosen = id;
    expect(await copy(own, { id })).not.toHaveProperty('title');
  });

  test('has the values that inTransaction gave the copy', async () => {
    const own = new Rig({}, { hooks: { types: { Widget: {} } } });
    rig = own;
    const { Widget } = await import('../methods/widget.js');
    Object.assign(own.services.registry.typeHooks.get('Widget') ?? {}, {
      async inTransaction({ created }: Json, { accountId }: Json, tx: Json) {
        if (accountId !== 'a2') return;
        for (const { id } of created) await tx.set(Widget, { update: { [id]: { title: 'Z' } } });
      },
    });
    const [id = ''] = await own.create('Widget', [{ title: 'a' }]);
    expect(await copy(own, { id })).toMatchObject({ title: 'Z' });
  });
});

test('the arguments of a before are frozen: it can’t change the answer in silence', async () => {
  const own = replacing('set', (args) => {
    args.create.k.title = 'X';
    return args;
  });
  const { error } = await own.call('Widget/set', { create: { k: { title: 'x' } } });
  expect(error).toBe('serverFail');
  expect(String(own.failures[0]?.error)).toContain('TypeError');
});

test('a number that no double holds is judged as without a before', async () => {
  const own = replacing('set', (args) => ({ ...args }));
  const create = '{"k":{"title":"x","rankNumber":9007199254740993}}';
  const call = `["Widget/set",{"accountId":"a1","create":${create}},"c"]`;
  const text = `{"using":["https://example.com/jmap/widgets"],"methodCalls":[${call}]}`;
  const [[, { notCreated }]] = JSON.parse(await own.text(text)).methodResponses;
  expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['rankNumber'] });
  expect(own.failures).toEqual([]);
});
