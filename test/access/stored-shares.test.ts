import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { makeProject, type People, startPeople } from './rules-rig.js';

/** Shares that other versions have stored, or a test by hand, and the starts that mend them. */

const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'nothing' }, eve: { given: 'nothing' } } as const;
type Name = keyof typeof MEMBERS;
const READ = { mayRead: true };

const folder = (...lines: readonly string[]): string => `capability: urn:example:notebooks
types:
  Folder:
    properties:
      name: { type: string, maxLength: 400000, default: '' }
${lines.map((line) => `    ${line}\n`).join('')}`;

const WITH_ADMIN = folder(
  'share:',
  '  rights: { mayRead: See it., mayAdmin: Change it. }',
  '  read: mayRead',
  "  update: { '*': mayAdmin }",
);
const OWN_PROPERTY = folder(
  '  shareWith:',
  "    type: [object, 'null']",
  '    additionalProperties: { type: object, additionalProperties: { type: boolean } }',
  '    default: null',
);
const READ_ALONE = folder(
  'drops: [shareWith]',
  'share: { rights: { mayRead: See it. }, read: mayRead }',
);

/** The roots of versions: those of one database serve on the other one. */
const roots = new Map<string, string>();
afterAll(async () => {
  for (const root of roots.values()) await rm(root, { recursive: true, force: true });
});

async function projectOf(descriptor: string, before: string | undefined): Promise<string> {
  const key = `${before} ${descriptor}`;
  const root = roots.get(key) ?? (await makeProject(descriptor, before));
  roots.set(key, root);
  return root;
}

/** Serves versions on one database, and writes to it. */
async function open(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('stored_shares');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-shares-data-'));
  let before: string | undefined;
  let people: People<Name> | undefined;
  onTestFinished(async () => {
    await people?.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    async serve(descriptor: string) {
      await people?.close();
      people = undefined;
      before = await projectOf(descriptor, before);
      people = await startPeople<Name>(before, { url, dataDir }, MEMBERS);
      const { accountId, users } = people;
      const desk = (name: Name) => new Desk(users[name], accountId);
      return {
        ...{ accountId, ada: desk('ada'), bob: desk('bob'), eve: desk('eve') },
        async reaches(name: Name): Promise<boolean> {
          const { accounts = {} } = await users[name].client.session();
          return Object.keys(accounts as object).includes(accountId);
        },
      };
    },
    async run(statement: string): Promise<void> {
      if (url !== null) {
        const pool = openPool({ url, size: 1 });
        await pool.query(statement);
        await pool.end();
        return;
      }
      const db = openDatabase({ file: join(dataDir, 'jmap.db') });
      db.exec(statement);
      db.close();
    },
  };
}

type Served = Awaited<ReturnType<Awaited<ReturnType<typeof open>>['serve']>>;

async function sharing({ ada }: Served, id: string): Promise<unknown> {
  return (await ada.call('Folder/get', { ids: [id], properties: ['shareWith'] })).list[0].shareWith;
}

describe.each(['SQLite', 'PostgreSQL'])('on %s', (database) => {
  it('values of a property from before the type was shared are shares, or null', async () => {
    const { serve, run } = await open(database);
    const first = await serve(OWN_PROPERTY);
    const [ada, bob] = [first.ada.id, first.bob.id];
    const good = { [bob]: READ };
    const values: readonly (readonly [before: unknown, after: unknown])[] = [
      [good, good],
      [{ [bob]: { mayRead: true, mayFly: true } }, good],
      [{ ...good, nobody: READ, [ada]: READ }, good],
      [{ nobody: READ }, null],
      [{ [bob]: { mayRead: 1 } }, null],
      [{ [bob]: { mayRead: true, mayFly: 'high' } }, null],
      [{ [bob]: true }, null],
      [{ [bob]: [true] }, null],
      [[good], null],
      ['everybody', null],
      [true, null],
      [{}, null],
      [null, null],
    ];
    const ids: string[] = [];
    for (const [value] of values) {
      const id = await first.ada.create('Folder', { name: 'Own' });
      const text = JSON.stringify(value).replaceAll("'", "''");
      if (value !== null)
        await run(`UPDATE "Folder" SET "shareWith" = '${text}' WHERE "id" = '${id}'`);
      ids.push(id);
    }
    const second = await serve(READ_ALONE);
    for (const [at, [, after]] of values.entries())
      expect(await sharing(second, ids[at] ?? '')).toEqual(after);
    expect(await second.bob.sees('Folder')).toEqual(ids.slice(0, 3).sort());
    expect(await second.ada.update('Folder', ids[4] ?? '', { shareWith: good })).toBeNull();
    expect(await second.bob.sees('Folder')).toHaveLength(4);
  }, 300_000);

  it('a start with other rights reads large objects in parts', async () => {
    const { serve, run } = await open(database);
    const first = await serve(WITH_ADMIN);
    const [bob, eve] = [first.bob.id, first.eve.id];
    const shareWith = { [bob]: { ...READ, mayAdmin: true }, [eve]: { mayAdmin: true } };
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1)
      ids.push(await first.ada.create('Folder', { name: 'Shared', shareWith }));
    const create = Object.fromEntries(
      Array.from({ length: 297 }, (_, index) => [`k${index}`, { name: 'Own' }]),
    );
    expect(await first.ada.call('Folder/set', { create })).toMatchObject({ notCreated: null });
    // Together they are larger than the objects that the store gives at once.
    await run(`UPDATE "Folder" SET "name" = replace('${'x'.repeat(200)}', 'x',
      '${'y'.repeat(1800)}')`);
    const second = await serve(READ_ALONE);
    for (const id of ids) expect(await sharing(second, id)).toEqual({ [bob]: READ });
    expect(await second.bob.sees('Folder')).toEqual([...ids].sort());
    expect(await second.reaches('eve')).toBe(false);
    const { list } = await second.ada.call('Folder/get', { ids: [ids[0]] });
    expect(list[0].name).toHaveLength(360_000);
  }, 300_000);
});
