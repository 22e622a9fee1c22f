import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { makeProject, type People, startPeople } from './rules-rig.js';

/** Versions of a project, each with other rights at what users share, on one database. */

const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'nothing' }, eve: { given: 'nothing' } } as const;
type Name = keyof typeof MEMBERS;

const folder = (...lines: readonly string[]): string => `capability: urn:example:notebooks
types:
  Folder:
    properties:
      name: { type: string, maxLength: 100, default: '' }
${lines.map((line) => `    ${line}\n`).join('')}`;

const WITH_ADMIN = folder(
  'share:',
  '  rights: { mayRead: See it., mayAdmin: Change it. }',
  '  read: mayRead',
  "  update: { '*': mayAdmin }",
);
const READ = 'share: { rights: { mayRead: See it. }, read: mayRead }';
const READ_ALONE = folder('drops: [shareWith]', READ);
const PLAIN = folder(
  'drops: [shareWith, isSubscribed]',
  'access: [{ who: owner, read: true, create: true, update: true, destroy: true }]',
);

const KEEPS = 'unknownProperties: keep';

/** The roots of versions by their descriptors: those of one database serve on the other one. */
const roots = new Map<string, string>();
afterAll(async () => {
  for (const root of roots.values()) await rm(root, { recursive: true, force: true });
});

async function projectOf(descriptor: string, before: string | undefined): Promise<string> {
  const root = roots.get(descriptor) ?? (await makeProject(descriptor, before));
  roots.set(descriptor, root);
  return root;
}

/** Returns what serves one version after the other on one database. */
async function useVersions(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('new_shares');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-shares-data-'));
  let before: string | undefined;
  let people: People<Name> | undefined;
  onTestFinished(async () => {
    await people?.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return async (descriptor: string) => {
    await people?.close();
    people = undefined;
    before = await projectOf(descriptor, before);
    people = await startPeople<Name>(before, { url, dataDir }, MEMBERS);
    const { accountId, users } = people;
    const desk = (name: Name) => new Desk(users[name], accountId);
    const reaches = async (name: Name): Promise<boolean> => {
      const { accounts = {} } = await users[name].client.session();
      return Object.keys(accounts as object).includes(accountId);
    };
    return { ada: desk('ada'), bob: desk('bob'), eve: desk('eve'), reaches };
  };
}

it.each(['SQLite', 'PostgreSQL'])(
  'on %s shares follow the rights of a new version',
  async (database) => {
    const serve = await useVersions(database);
    const first = await serve(WITH_ADMIN);
    const [bob, eve] = [first.bob.id, first.eve.id];
    const shareWith = { [bob]: { mayRead: true, mayAdmin: true }, [eve]: { mayAdmin: true } };
    const id = await first.ada.create('Folder', { name: 'Shared', shareWith });
    const sharing = async ({ ada }: { readonly ada: Desk }) =>
      (await ada.call('Folder/get', { ids: [id] })).list[0].shareWith;
    await eventually(async () => expect(await first.reaches('bob')).toBe(true));
    expect(await first.bob.update('Folder', id, { name: 'Ours' })).toBeNull();

    // A right that the type has no more is gone, and patches go on from what is left.
    const second = await serve(READ_ALONE);
    expect(await sharing(second)).toEqual({ [bob]: { mayRead: true } });
    expect(await second.bob.sees('Folder')).toEqual([id]);
    expect(await second.reaches('eve')).toBe(false);
    const more = { [`shareWith/${eve}`]: { mayRead: true } };
    expect(await second.ada.update('Folder', id, more)).toBeNull();
    await eventually(async () => expect(await second.reaches('eve')).toBe(true));

    // Without shares nobody reaches the account by them.
    const third = await serve(PLAIN);
    expect(await third.ada.sees('Folder')).toEqual([id]);
    expect(await third.reaches('bob')).toBe(false);
    const fourth = await serve(folder(READ));
    expect(await sharing(fourth)).toBeNull();
    expect(await fourth.reaches('eve')).toBe(false);
  },
  900_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a member that was kept shares nothing, though a new version shares by its name',
  async (database) => {
    const serve = await useVersions(database);
    const first = await serve(folder(KEEPS));
    const eve = { [first.eve.id]: { mayRead: true } };
    const id = await first.ada.create('Folder', { name: 'Private', shareWith: eve });
    const second = await serve(folder(KEEPS, READ));
    const { list } = await second.ada.call('Folder/get', { ids: [id] });
    expect(list[0]).toMatchObject({ shareWith: null, 'undeclared:shareWith': eve });
    expect(await second.reaches('eve')).toBe(false);
    const shareWith = { [second.bob.id]: { mayRead: true } };
    expect(await second.ada.update('Folder', id, { shareWith })).toBeNull();
    await eventually(async () => expect(await second.reaches('bob')).toBe(true));
    expect(await second.reaches('eve')).toBe(false);
  },
  900_000,
);
