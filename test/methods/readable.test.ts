import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import { roleScope } from '../../src/capability/scopes.js';
import { type Json, Rig } from './rig.js';
import { viewer } from './viewers.js';
import { Widget } from './widget.js';

// The rank of a widget is for the owner of the account and for users with the role `payroll`.

const READABLE = ['o', roleScope('payroll')];
const READER = viewer('u5');
const WRITER = viewer('u6');
const PAYROLL = viewer('u7', ['payroll']);

/** Returns the same user with another way into the account. */
function as(user: Principal, more: object): Principal {
  const accounts = [...user.accounts].map(
    ([id, account]) => [id, { ...account, ...more }] as const,
  );
  return { ...user, accounts: new Map(accounts) };
}

let rig: Rig;
let id: string;
beforeEach(async () => {
  rig = new Rig(
    {},
    {
      widget: {
        ...Widget,
        properties: Widget.properties.map((property) =>
          property.name === 'rankNumber' ? { ...property, readable: READABLE } : property,
        ),
      },
    },
  );
  [id = ''] = await rig.create('Widget', [{ title: 'a', rankNumber: 7 }]);
});
afterEach(() => rig.close());

const STRANGER = as(READER, { isReader: true });

function call(name: string, args: object, user: Principal): Promise<Json> {
  return rig.call(`Widget/${name}`, args, { user });
}

it.each([
  ['the owner', undefined, 7],
  ['a user who may write in all of the account', WRITER, 7],
  ['a user with the role', as(PAYROLL, { isReader: true }), 7],
  ['another user', STRANGER, undefined],
])('%s gets the value in /get as declared', async (_, user, rank) => {
  for (const properties of [null, ['title', 'rankNumber']]) {
    const { list, error } = await rig.call('Widget/get', { properties }, user ? { user } : {});
    expect(error).toBeUndefined();
    expect(list[0].title).toBe('a');
    expect(list[0].rankNumber).toBe(rank);
  }
});

it('an unknown property beside a hidden one is still refused', async () => {
  const { error, description } = await call('get', { properties: ['rankNumber', 'x'] }, STRANGER);
  expect(error).toBe('invalidArguments');
  expect(description).not.toContain('rankNumber');
});

it.each([
  [{ filter: { minRank: 7 } }, 'unsupportedFilter'],
  [{ sort: [{ property: 'rankNumber' }] }, 'unsupportedSort'],
])('a query %j is refused for users who may not read the property', async (args, type) => {
  for (const [name, more] of [
    ['query', {}],
    ['queryChanges', { sinceQueryState: '0.aaaaaaaaaaaaaaaa' }],
  ] as const) {
    expect(await call(name, { ...args, ...more }, STRANGER)).toMatchObject({ error: type });
  }
  expect((await call('query', args, WRITER)).ids).toEqual([id]);
});

it('a user can write no property that it may not read', async () => {
  const create = { k: { title: 'b', rankNumber: 1 }, l: { title: 'c' } };
  const update = { [id]: { rankNumber: 3 } };
  const { created, notCreated, notUpdated } = await call('set', { create, update }, STRANGER);
  expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['rankNumber'] });
  expect(notUpdated[id]).toMatchObject({ type: 'invalidProperties', properties: ['rankNumber'] });
  expect(created.l).not.toHaveProperty('rankNumber');
  const { list } = await rig.call('Widget/get', { ids: [created.l.id] });
  expect(list[0].rankNumber).toBe(0);
});

it('an update tells and keeps nothing of it', async () => {
  const { updated } = await call('set', { update: { [id]: { title: 'b' } } }, STRANGER);
  expect(updated[id] ?? {}).not.toHaveProperty('rankNumber');
  const { list } = await rig.call('Widget/get', {});
  expect(list[0]).toMatchObject({ title: 'b', rankNumber: 7 });
});

it('a copy has the default of what its reader may not read in the source', async () => {
  const own = { ...STRANGER.accounts.get('a1'), id: 'a2', isPersonal: true } as Json;
  const accounts = new Map([...STRANGER.accounts, ['a2', own] as const]);
  const args = { fromAccountId: 'a1', accountId: 'a2', create: { k: { id } } };
  const { created } = await rig.call('Widget/copy', args, { user: { ...STRANGER, accounts } });
  const got = { accountId: 'a2', ids: [created.k.id] };
  const { list } = await rig.call('Widget/get', got, { user: { ...STRANGER, accounts } });
  expect(list[0]).toMatchObject({ title: 'a', rankNumber: 0 });
});

it('changed properties leave it out', async () => {
  const { state } = await call('get', { ids: [] }, STRANGER);
  await rig.call('Widget/set', { update: { [id]: { rankNumber: 8, title: 'c' } } });
  const told = await call('changes', { sinceState: state }, STRANGER);
  expect(told.updated).toEqual([id]);
  expect(told.updatedProperties).not.toContain('rankNumber');
  expect((await call('changes', { sinceState: state }, WRITER)).updatedProperties).toContain(
    'rankNumber',
  );
});

it('a /get of the ids that a /query of the request found leaves it out', async () => {
  const ids = { resultOf: 'q', name: 'Widget/query', path: '/ids' };
  const asked = await rig.request(
    [
      ['Widget/query', { accountId: 'a1' }, 'q'],
      ['Widget/get', { accountId: 'a1', '#ids': ids }, 'g'],
      ['Widget/get', { accountId: 'a1', '#ids': ids, properties: ['rankNumber'] }, 'h'],
    ],
    { user: STRANGER },
  );
  const [, got, named] = asked.methodResponses.map((triple: Json) => triple[1]);
  expect(got.list[0].title).toBe('a');
  expect(got.list[0]).not.toHaveProperty('rankNumber');
  expect(named.list).toEqual([{ id }]);
});

it('a pointer into it leads nowhere, whatever its value is', async () => {
  const { notUpdated } = await call('set', { update: { [id]: { 'rankNumber/x': 1 } } }, STRANGER);
  const unknown = await call('set', { update: { [id]: { 'rankNumbers/x': 1 } } }, STRANGER);
  const text = JSON.stringify(notUpdated[id]);
  expect(text.replaceAll('rankNumber', 'rankNumbers')).toBe(JSON.stringify(unknown.notUpdated[id]));
});
