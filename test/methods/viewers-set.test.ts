import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import { watch } from './destroyed-rows.js';
import { type Json, Rig } from './rig.js';
import { Widget } from './widget.js';

// Users change objects by access rules. The account's owner makes the objects.

const RULES: readonly AccessRule[] = [
  { who: { kind: 'role', role: 'editor' }, read: true, create: true, update: true, destroy: true },
  { who: { kind: 'role', role: 'mover' }, where: [at(1)], read: true, update: true, leave: true },
  { who: { kind: 'role', role: 'keeper' }, where: [at(1)], read: true, update: true },
  { who: { kind: 'property', property: 'tags' }, read: true, update: ['title'] },
  { who: { kind: 'role', role: 'maker' }, create: true },
  { who: { kind: 'everyone' }, where: [at(3)], read: true },
];

function at(...values: readonly number[]) {
  return { property: 'rankNumber', values };
}

function user(userId: string, roles: readonly string[] = []): Principal {
  const account: AccountAccess = {
    ...{ id: 'a1', name: 'a1', isPersonal: false, isReadOnly: false, capabilities: null },
  };
  return { ...tokenPrincipal(userId, `t-${userId}`, new Map([['a1', account]])), roles };
}

const EDITOR = user('u2', ['editor']);
const MOVER = user('u3', ['mover']);
const KEEPER = user('u4', ['keeper']);
const MAKER = user('u7', ['maker']);
const NAMED = user('u5');
const STRANGER = user('u6');

describe('access rules of /set', () => {
  let rig: Rig;
  let ids: Record<'named' | 'first' | 'open' | 'hidden', string>;

  beforeEach(async () => {
    rig = new Rig({}, { widget: { ...Widget, access: RULES } });
    const [named = '', first = '', open = '', hidden = ''] = await rig.create('Widget', [
      { title: 'named', tags: { u5: true } },
      { title: 'first', rankNumber: 1 },
      { title: 'open', rankNumber: 3 },
      { title: 'hidden' },
    ]);
    ids = { named, first, open, hidden };
  });
  afterEach(() => rig.close());

  const set = (args: object, as: Principal): Promise<Json> =>
    rig.call('Widget/set', args, { user: as });
  const update = async (id: string, patch: object, as: Principal): Promise<Json> => {
    const { updated, notUpdated } = await set({ update: { [id]: patch } }, as);
    return notUpdated?.[id] ?? (updated?.[id] === undefined ? 'untold' : 'made');
  };

  it('an object that a user does not see is not there, whatever is asked', async () => {
    for (const as of [NAMED, STRANGER, MOVER]) {
      expect(await update(ids.hidden, { title: 'x' }, as)).toMatchObject({ type: 'notFound' });
      const { notDestroyed } = await set({ destroy: [ids.hidden] }, as);
      expect(notDestroyed[ids.hidden]).toMatchObject({ type: 'notFound' });
      const got = await rig.call('Widget/get', { ids: [ids.hidden] }, { user: as });
      expect([got.list, got.notFound]).toEqual([[], [ids.hidden]]);
    }
  });

  it('an object that a user destroys is read as far as rules look at it', async () => {
    const { gets } = watch(rig);
    expect((await set({ destroy: [ids.first] }, EDITOR)).destroyed).toEqual([ids.first]);
    const { notDestroyed } = await set({ destroy: [ids.named] }, KEEPER);
    expect(notDestroyed[ids.named]).toMatchObject({ type: 'notFound' });
    expect(gets.map(({ isWhole }) => isWhole)).toEqual([false, false]);
  });

  it('an object that a user sees without a right is forbidden, with the right', async () => {
    const description = 'Only users with the role "editor" may destroy it.';
    const { notDestroyed } = await set({ destroy: [ids.open] }, STRANGER);
    expect(notDestroyed?.[ids.open]).toMatchObject({ type: 'forbidden', description });
    expect(await update(ids.open, { title: 'x' }, STRANGER)).toMatchObject({
      type: 'forbidden',
      description:
        'Only users with the role "editor", or users with the role "mover", or ' +
        'users with the role "keeper", or users whom "tags" names may change "title".',
    });
    const { notCreated } = await set({ create: { k: { title: 'x', rankNumber: 3 } } }, STRANGER);
    expect(notCreated?.['k']).toMatchObject({ type: 'forbidden' });
  });

  it('an update needs the right at the object as it was, too', async () => {
    expect(await update(ids.open, { rankNumber: 1 }, KEEPER)).toMatchObject({ type: 'forbidden' });
    const { list } = await rig.call('Widget/get', { ids: [ids.open] });
    expect(list).toMatchObject([{ rankNumber: 3 }]);
  });

  it('a create of what its user would not see is forbidden', async () => {
    const create = (rankNumber: number) =>
      set({ create: { k: { title: 'x', rankNumber } } }, MAKER);
    expect((await create(3)).notCreated).toBeNull();
    const description = 'You would not see the object.';
    expect((await create(2)).notCreated?.['k']).toEqual({ type: 'forbidden', description });
  });

  it('a state of a user with other roles leads nowhere', async () => {
    const { state } = await rig.call('Widget/get', { ids: [] }, { user: KEEPER });
    const promoted = { ...KEEPER, roles: ['editor'] };
    const changes = await rig.call('Widget/changes', { sinceState: state }, { user: promoted });
    expect(changes).toMatchObject({ error: 'cannotCalculateChanges' });
    const same = await rig.call('Widget/changes', { sinceState: state }, { user: KEEPER });
    expect(same).toMatchObject({ newState: state });
  });

  it('a rule for some properties allows no others', async () => {
    expect(await update(ids.named, { title: 'new' }, NAMED)).toBe('made');
    expect(await update(ids.named, { rankNumber: 2 }, NAMED)).toMatchObject({ type: 'forbidden' });
    const both = { title: 'x', rankNumber: 2 };
    expect(await update(ids.named, both, NAMED)).toMatchObject({ type: 'forbidden' });
    const { list } = await rig.call('Widget/get', { ids: [ids.named] });
    expect(list).toMatchObject([{ title: 'new', rankNumber: 0 }]);
  });

  it('an update that would hide the object needs the right to leave it', async () => {
    const refused = { type: 'forbidden' };
    expect(await update(ids.first, { rankNumber: 2 }, KEEPER)).toMatchObject(refused);
    expect(await update(ids.first, { title: 'kept' }, KEEPER)).toBe('made');
    expect(await update(ids.first, { rankNumber: 2 }, MOVER)).toBe('made');
    expect(await update(ids.first, { rankNumber: 1 }, MOVER)).toMatchObject({ type: 'notFound' });
  });

  it('the owner of the account may do everything, and so may whoever has all rights', async () => {
    for (const as of [undefined, EDITOR]) {
      const create = { k: { title: 'made' } };
      const args = { create, update: { [ids.hidden]: { title: 'x' } } };
      const made = await rig.call('Widget/set', args, as === undefined ? {} : { user: as });
      expect([made.notCreated, made.notUpdated]).toEqual([null, null]);
      const { id } = made.created['k'];
      const gone = await rig.call('Widget/set', { destroy: [id] }, as ? { user: as } : {});
      expect(gone.destroyed).toEqual([id]);
    }
  });

  it('a state holds through writes that the user does not see', async () => {
    const { state } = await rig.call('Widget/get', { ids: [] }, { user: NAMED });
    for (const title of ['a', 'b']) {
      await rig.call('Widget/set', { update: { [ids.hidden]: { title } } });
    }
    const args = { ifInState: state, update: { [ids.named]: { title: 'new' } } };
    const made = await set(args, NAMED);
    expect(made).toMatchObject({ oldState: state, notUpdated: null });
    expect(await set(args, NAMED)).toMatchObject({ error: 'stateMismatch' });
    const now = await rig.call('Widget/get', { ids: [] }, { user: NAMED });
    expect(made.newState).toBe(now.state);
    const changes = await rig.call('Widget/changes', { sinceState: state }, { user: NAMED });
    expect(changes).toMatchObject({ newState: now.state, updated: [ids.named] });
  });

  it('a copy takes what the user sees alone', async () => {
    const target: AccountAccess = {
      ...{ id: 'a2', name: 'a2', isPersonal: true, isReadOnly: false, capabilities: null },
    };
    const accounts = new Map([...NAMED.accounts, ['a2', target] as const]);
    const copier = { ...NAMED, accounts };
    const create = { seen: { id: ids.named }, unseen: { id: ids.hidden } };
    const args = { fromAccountId: 'a1', accountId: 'a2', create };
    const copied = await rig.call('Widget/copy', args, { user: copier });
    expect(Object.keys(copied.created)).toEqual(['seen']);
    expect(copied.notCreated['unseen']).toMatchObject({ type: 'notFound' });
  });
});

describe('the owner of a rule', () => {
  const access: readonly AccessRule[] = [{ who: { kind: 'owner' }, read: true, update: true }];

  it.each([
    ['is a user who may write in all of the account', {}, 1],
    ['is such a user with a token that may read alone', { isReadOnly: true }, 1],
    ['is no user whose grant is to read', { isReadOnly: true, isReader: true }, 0],
    ['is no user who has shares alone', { isShared: true }, 0],
  ] as const)('%s', async (_, reach, count) => {
    const rig = new Rig({}, { widget: { ...Widget, access } });
    await rig.create('Widget', [{ title: 'own' }]);
    const [account] = [...STRANGER.accounts.values()];
    const accounts = new Map([['a1', { ...(account as AccountAccess), ...reach }]]);
    const { list } = await rig.call('Widget/get', {}, { user: { ...STRANGER, accounts } });
    expect(list).toHaveLength(count);
    await rig.close();
  });
});
