import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

/**
 * The rules of a descriptor, asked over HTTP: the owner of an account, two users who may write in
 * it, and an auditor who may read in it.
 */

const root = useProject('notebooks.yaml');
const postgresql = usePostgresql();

const MEMBERS = {
  ada: {},
  bob: { given: 'write' },
  eve: { given: 'write' },
  dan: { given: 'read', roles: ['auditor'] },
} as const;

const NOTHING = { created: [], updated: [], destroyed: [] };

/** Serves a fresh account. Returns the desks of its users. */
async function open(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('rules');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-rules-data-'));
  const people = await startPeople(root(), { url, dataDir }, MEMBERS);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const desk = (name: keyof typeof MEMBERS) => new Desk(people.users[name], people.accountId);
  return {
    ...{ ada: desk('ada'), bob: desk('bob'), eve: desk('eve'), dan: desk('dan') },
    bobsOwn: people.users.bob.ownAccountId,
  };
}

it.each(['SQLite', 'PostgreSQL'])(
  'on %s users see and do what the rules give',
  async (name) => {
    const { ada, bob, eve, dan, bobsOwn } = await open(name);

    // Reading: by a set of users, a parent at any depth, one user, a condition, a role.
    const plans = await ada.create('Notebook', { name: 'Plans', members: { [bob.id]: true } });
    const inner = await ada.create('Notebook', { name: 'Inner', parentId: plans });
    const secret = await ada.create('Notebook', { name: 'Secret' });
    const deep = await ada.create('Page', { text: 'deep', notebookId: inner });
    const hidden = await ada.create('Page', { text: 'hidden', notebookId: secret });
    const open_ = await ada.create('Page', { text: 'open', notebookId: secret, open: true });
    const task = await ada.create('Page', { notebookId: secret, assignee: eve.id });
    expect(await ada.sees('Notebook')).toEqual([plans, inner, secret].sort());
    expect(await bob.sees('Notebook')).toEqual([plans, inner].sort());
    expect(await eve.sees('Notebook')).toEqual([]);
    expect(await dan.sees('Notebook')).toEqual([]);
    const all = [deep, hidden, open_, task].sort();
    expect(await ada.sees('Page')).toEqual(all);
    expect(await bob.sees('Page')).toEqual([deep, open_].sort());
    expect(await eve.sees('Page')).toEqual([open_, task].sort());
    expect(await dan.sees('Page')).toEqual(all);
    const { list, notFound } = await eve.call('Page/get', { ids: [hidden, task] });
    expect(notFound).toEqual([hidden]);
    expect(list[0]).not.toHaveProperty('jmap_creator');

    // Changes: who enters a view is told of a create, who leaves it of a destroy.
    const swap = () => ada.update('Notebook', plans, { members: { [eve.id]: true } });
    let told: object = {};
    const leaving = await bob.changes('Notebook', async () => {
      told = await eve.changes('Notebook', swap);
    });
    expect(leaving).toEqual({ ...NOTHING, destroyed: [plans, inner].sort() });
    expect(told).toEqual({ ...NOTHING, created: [plans, inner].sort() });
    expect(await bob.sees('Page')).toEqual([open_]);
    expect(await eve.sees('Page')).toEqual([deep, open_, task].sort());
    expect(await dan.changes('Page', () => ada.update('Page', hidden, { text: 'x' }))).toEqual({
      ...NOTHING,
      updated: [hidden],
    });
    expect(await bob.changes('Page', () => ada.update('Page', hidden, { text: 'y' }))).toEqual(
      NOTHING,
    );
    expect(await eve.changes('Page', () => ada.update('Page', open_, { open: false }))).toEqual({
      ...NOTHING,
      destroyed: [open_],
    });

    // Writes: an unseen object is not there; a right that lacks at a visible one is forbidden.
    expect(await eve.update('Page', task, { text: 'mine' })).toBeNull();
    expect(await eve.update('Page', task, { open: true })).toEqual({
      type: 'forbidden',
      description: expect.stringMatching(/^Only the user who created it may change "open"/),
    });
    expect(await eve.update('Page', deep, { text: 'x' })).toMatchObject({ type: 'forbidden' });
    expect(await eve.update('Page', hidden, { text: 'x' })).toMatchObject({ type: 'notFound' });
    expect(await eve.destroy('Page', deep)).toMatchObject({
      type: 'forbidden',
      description: 'Only the user who created it may destroy it.',
    });
    expect(await eve.destroy('Page', hidden)).toMatchObject({ type: 'notFound' });
    expect(await eve.update('Notebook', plans, { name: 'Ours' })).toBeNull();
    expect(await eve.update('Notebook', plans, { members: {} })).toMatchObject({
      type: 'forbidden',
    });
    expect(await dan.call('Page/set', { destroy: [deep] })).toMatchObject({
      error: 'accountReadOnly',
    });

    // Creates, by the right at the parent; then the creator's rights.
    const own = await eve.create('Page', { text: 'own', notebookId: inner });
    const refused = await eve.call('Page/set', {
      create: { a: {}, b: { notebookId: secret }, c: { jmap_creator: ada.id } },
    });
    const nowhere = await eve.call('Page/set', { create: { b: { notebookId: 'nowhere' } } });
    expect(refused.notCreated.b).toEqual(nowhere.notCreated.b);
    expect(refused.notCreated).toMatchObject({
      a: { type: 'forbidden' },
      b: { type: 'forbidden' },
      c: { type: 'invalidProperties', properties: ['jmap_creator'] },
    });
    expect(await bob.update('Page', own, { text: 'x' })).toMatchObject({ type: 'notFound' });
    expect(await eve.update('Page', own, { notebookId: null, open: true })).toBeNull();
    expect(await bob.sees('Page')).toEqual([own]);
    expect(await bob.destroy('Page', own)).toMatchObject({ type: 'forbidden' });
    expect(await eve.destroy('Page', own)).toBeNull();

    // A copy is a create of the user who makes it.
    const draft = await bob.call('Page/set', { accountId: bobsOwn, create: { k: { text: 'b' } } });
    await ada.update('Notebook', plans, { members: { [bob.id]: true } });
    const copied = await bob.call('Page/copy', {
      fromAccountId: bobsOwn,
      create: { k: { id: draft.created.k.id, notebookId: plans } },
    });
    const copy = copied.created.k.id;
    await ada.update('Notebook', plans, { members: {} });
    expect(await bob.sees('Page')).toEqual([copy]);
    expect(await bob.update('Page', copy, { text: 'still mine' })).toBeNull();

    // The owner's rule, and a condition that begins and ends.
    const notice = await bob.create('Notice', { text: 'hello' });
    expect(await eve.update('Notice', notice, { text: 'hi' })).toBeNull();
    expect(await dan.sees('Notice')).toEqual([]);
    expect(
      await dan.changes('Notice', () => bob.update('Notice', notice, { public: true })),
    ).toEqual({ ...NOTHING, created: [notice] });
    expect(await dan.changes('Notice', () => bob.destroy('Notice', notice))).toEqual({
      ...NOTHING,
      destroyed: [notice],
    });
  },
  600_000,
);

it('a property for a role is for other users not there', async () => {
  const { ada, bob, dan } = await open('SQLite');
  const page = await ada.create('Page', { text: 'graded', open: true, grade: 3 });
  const gradeFor = async (desk: Desk) => {
    const { list } = await desk.call('Page/get', { properties: ['text', 'grade'] });
    expect(list[0].text).toBe('graded');
    return list[0].grade;
  };
  expect(await gradeFor(ada)).toBe(3);
  expect(await gradeFor(dan)).toBe(3);
  expect(await gradeFor(bob)).toBeUndefined();
  const filter = { grade: 3 };
  const sort = [{ property: 'grade' }];
  expect((await dan.call('Page/query', { filter, sort })).ids).toEqual([page]);
  expect(await bob.call('Page/query', { filter })).toMatchObject({ error: 'unsupportedFilter' });
  expect(await bob.call('Page/query', { sort })).toMatchObject({ error: 'unsupportedSort' });
  const notebookId = await bob.create('Notebook', {});
  const own = await bob.create('Page', { notebookId });
  const refusal = { type: 'invalidProperties', properties: ['grade'] };
  expect(await bob.update('Page', own, { grade: 1 })).toMatchObject(refusal);
  expect(await ada.update('Page', own, { grade: 1 })).toBeNull();
});
