import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { makeProject, type People, startPeople } from './rules-rig.js';

/** Versions of a project on one database: a type gets values of each user, and others later. */

const note = (...properties: readonly string[]): string => `capability: urn:example:notebooks
types:
  Note:
    properties:
${properties.map((line) => `${line.startsWith('drops') ? '    ' : '      '}${line}\n`).join('')}`;

const TEXT = "text: { type: string, maxLength: 100, default: '' }";
const WORDS = "words: { type: string, maxLength: 100, default: '', renamedFrom: text }";
const SEEN = 'seen: { type: boolean, default: false, perUser: true }';
const SEEN_AT = 'seen: { type: string, maxLength: 20, default: never, perUser: true }';

const postgresql = usePostgresql();

it('old states end when values of each user come, and where clients have to fetch', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-own-data-'));
  const roots: string[] = [];
  let people: People<'ada' | 'cat'> | undefined;
  onTestFinished(async () => {
    await people?.close();
    for (const path of [dataDir, ...roots]) await rm(path, { recursive: true, force: true });
  });
  const serve = async (...properties: readonly string[]) => {
    await people?.close();
    roots.push(await makeProject(note(...properties), roots.at(-1)));
    const members = { ada: {}, cat: { given: 'write' } } as const;
    people = await startPeople(roots.at(-1) ?? '', { url: null, dataDir }, members);
    const { users, accountId } = people;
    return { ada: new Desk(users.ada, accountId), cat: new Desk(users.cat, accountId) };
  };
  const stateOf = async (desk: Desk) => (await desk.call('Note/get', { ids: [] })).state;
  const since = (desk: Desk, sinceState: string) => desk.call('Note/changes', { sinceState });

  const first = await serve(TEXT);
  const id = await first.ada.create('Note', { text: 'A' });
  const plain = await stateOf(first.ada);

  const second = await serve(TEXT, SEEN);
  expect((await since(second.ada, plain)).error).toBe('cannotCalculateChanges');
  const [adas, cats] = [await stateOf(second.ada), await stateOf(second.cat)];
  expect(await second.ada.update('Note', id, { seen: true })).toBeNull();
  expect(await since(second.ada, adas)).toMatchObject({ updated: [id] });
  expect(await since(second.cat, cats)).toMatchObject({ updated: [], newState: cats });

  // Values of another type begin with the default.
  const third = await serve(TEXT, SEEN_AT, 'drops: [seen]');
  expect((await since(third.cat, cats)).error).toBe('cannotCalculateChanges');
  expect((await third.ada.call('Note/get')).list).toMatchObject([{ id, seen: 'never' }]);

  const state = await stateOf(third.cat);
  const fourth = await serve(WORDS, SEEN_AT);
  expect((await since(fourth.cat, state)).error).toBe('cannotCalculateChanges');
  expect((await fourth.cat.call('Note/get')).list).toMatchObject([{ id, words: 'A' }]);
}, 600_000);

it('users hear of what a version without values of each user writes beside', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-own-data-'));
  const url = await postgresql().createDatabase('beside');
  const roots: string[] = [];
  const servers: People<'ada' | 'cat'>[] = [];
  onTestFinished(async () => {
    for (const server of servers) await server.close();
    for (const path of [dataDir, ...roots]) await rm(path, { recursive: true, force: true });
  });
  const serve = async (...properties: readonly string[]) => {
    roots.push(await makeProject(note(...properties), roots.at(-1)));
    const members = { ada: {}, cat: { given: 'write' } } as const;
    const people = await startPeople(roots.at(-1) ?? '', { url, dataDir }, members);
    servers.push(people);
    const { users, accountId } = people;
    return { accountId, ...{ ada: new Desk(users.ada, accountId) }, cat: users.cat };
  };
  const before = await serve(TEXT);
  const a = await before.ada.create('Note', { text: 'A' });
  const now = await serve(TEXT, SEEN);
  const cat = new Desk(now.cat, now.accountId);
  const stream = await EventStream.open(cat.client, { types: 'Note', closeafter: 'no', ping: '0' });
  onTestFinished(() => stream.close());
  const { state } = await cat.call('Note/get', { ids: [] });

  expect(await before.ada.update('Note', a, { text: 'B' })).toBeNull();
  const b = await before.ada.create('Note', { text: 'B' });
  const told = await eventually(async () => {
    const changes = await cat.call('Note/changes', { sinceState: state });
    expect(changes).toMatchObject({ created: [b], updated: [a], destroyed: [] });
    return changes;
  }, 60_000);
  await stream.state(now.accountId, 'Note', told.newState);

  expect(await before.ada.destroy('Note', b)).toBeNull();
  const c = await now.ada.create('Note', { text: 'C' });
  const last = await cat.call('Note/changes', { sinceState: told.newState });
  expect(last).toMatchObject({ created: [c], updated: [], destroyed: [b] });
}, 600_000);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s values of users move with a rename, and go with a drop',
  async (name) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-own-data-'));
    const url = name === 'SQLite' ? null : await postgresql().createDatabase('moved');
    const roots: string[] = [];
    let people: People<'ada' | 'cat'> | undefined;
    onTestFinished(async () => {
      await people?.close();
      for (const path of [dataDir, ...roots]) await rm(path, { recursive: true, force: true });
    });
    const serve = async (...properties: readonly string[]) => {
      await people?.close();
      roots.push(await makeProject(note(...properties), roots.at(-1)));
      const members = { ada: {}, cat: { given: 'write' } } as const;
      people = await startPeople(roots.at(-1) ?? '', { url, dataDir }, members);
      return new Desk(people.users.cat, people.accountId);
    };
    const values = async () => {
      const rows = await people?.prisma.jmapUserValue.findMany();
      return rows?.map((row) => JSON.parse(row.values));
    };
    const STARS = 'stars: { type: integer, default: 0, perUser: true }';
    const LABEL = 'label: { type: string, maxLength: 20, default: none, perUser: true }';
    const SHORT = 'label: { type: string, maxLength: 3, default: non, perUser: true }';
    const READ = 'read: { type: boolean, default: false, perUser: true, renamedFrom: seen }';

    const first = await serve(TEXT, SEEN, STARS, LABEL);
    const id = await first.create('Note', { text: 'A', seen: true, stars: 3, label: 'é"' });
    const second = await serve(TEXT, READ, STARS, LABEL);
    const all = { read: true, stars: 3, label: 'é"' };
    expect((await second.call('Note/get')).list).toMatchObject([{ id, ...all }]);

    // On PostgreSQL they stay for the previous version; the next migration removes them.
    const third = await serve(TEXT, READ, SHORT, 'drops: [stars, label]');
    const { list } = await third.call('Note/get');
    expect(list).toMatchObject([{ id, read: true, label: all.label }]);
    expect(list[0]).not.toHaveProperty('stars');
    expect(await third.update('Note', id, { label: 'long' })).toMatchObject({
      type: 'invalidProperties',
    });
    await serve(TEXT, READ, SHORT, 'more: { type: boolean, default: false }');
    expect(await values()).toEqual([{ seen: true, label: all.label }]);
  },
  600_000,
);
