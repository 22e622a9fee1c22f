import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

// The cost of a share in rows.

const root = useProject('lists.yaml');
const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'nothing' } } as const;
const READ = { mayRead: true };

async function open(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('costs');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-costs-'));
  const people = await startPeople(root(), { url, dataDir }, MEMBERS);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { accountId, users, prisma } = people;
  const count = async (table: string): Promise<number> => {
    const rows = await prisma.$queryRawUnsafe<{ n: number | bigint }[]>(
      `SELECT count(*) AS n FROM "${table}"`,
    );
    return Number(rows[0]?.n);
  };
  return {
    ada: new Desk(users.ada, accountId),
    bob: new Desk(users.bob, accountId),
    /** The rows that hold who sees what, and changes. */
    async rows(): Promise<number> {
      const counts = ['JmapChange', 'JmapGrant', 'JmapScope'].map(count);
      return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
    },
  };
}

const DATABASES = ['SQLite', 'PostgreSQL'];

/** Creates so many objects. */
function creates(count: number, values: object): object {
  const entries = Array.from({ length: count }, (_, index) => [`k${index}`, values]);
  return { create: Object.fromEntries(entries) };
}

it.each(DATABASES)(
  'on %s a share writes as many rows for one todo as for 300',
  async (database) => {
    const { ada, bob, rows } = await open(database);
    const written = async (todos: number): Promise<number> => {
      const list = await ada.create('TodoList', {});
      const values = { listId: list, text: 'one of many' };
      expect((await ada.call('Todo/set', creates(todos, values))).notCreated).toBeNull();
      const before = await rows();
      expect(await ada.update('TodoList', list, { shareWith: { [bob.id]: READ } })).toBeNull();
      return (await rows()) - before;
    };
    // The first share opens the account, too.
    await written(1);
    const one = await written(1);
    expect(one).toBeGreaterThan(0);
    expect(await written(300)).toBe(one);
  },
);
