import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { makeProject, type People, startPeople } from './rules-rig.js';

/** Versions of a project, each with other access rules, on one database. */

const postgresql = usePostgresql();

const OWNER = '      - { who: owner, read: true, create: true, update: true, destroy: true }\n';
const PUBLIC = '      - { who: everyone, where: { public: true }, read: true }\n';
const AUDITOR = "      - { who: 'role:auditor', read: true }\n";
const CREATOR = '      - { who: creator, read: true, update: true, destroy: true }\n';

const notice = (...rules: readonly string[]): string => `capability: urn:example:notebooks
types:
  Notice:
    properties:
      text: { type: string, maxLength: 1000, default: '' }
      public: { type: boolean, default: false }
${rules.length === 0 ? '' : `    access:\n${rules.join('')}`}`;

const MEMBERS = {
  ada: {},
  bob: { given: 'write' },
  dan: { given: 'read', roles: ['auditor'] },
} as const;

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

type Name = keyof typeof MEMBERS;

it.each(['SQLite', 'PostgreSQL'])(
  'on %s objects follow rules that are new',
  async (database) => {
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('new_rules');
    const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-rules-data-'));
    const versions: string[] = [];
    let people: People<Name> | undefined;
    onTestFinished(async () => {
      await people?.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    const serve = async (...rules: readonly string[]): Promise<void> => {
      await people?.close();
      const root = await projectOf(notice(...rules), versions.at(-1));
      versions.push(root);
      people = await startPeople<Name>(root, { url, dataDir }, MEMBERS);
    };
    // biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
    const call = async (name: Name, method: string, args: object = {}): Promise<any> => {
      if (people === undefined) throw new Error('Nothing is served.');
      const whole = { accountId: people.accountId, ...args };
      return (await people.users[name].client.call(`Notice/${method}`, whole))[1];
    };
    const get = async (name: Name): Promise<readonly string[]> => {
      const { list } = await call(name, 'get');
      return list.map(({ id }: { readonly id: string }) => id).sort();
    };

    await serve();
    const { created } = await call('ada', 'set', {
      create: { a: { text: 'hidden' }, b: { text: 'shown', public: true } },
    });
    const [hidden, shown] = [created.a.id, created.b.id];
    const both = [hidden, shown].sort();
    expect(await get('dan')).toEqual(both);
    const { state: first } = await call('dan', 'get');

    await serve(OWNER, PUBLIC);
    expect(await get('ada')).toEqual(both);
    expect(await get('bob')).toEqual(both);
    expect(await get('dan')).toEqual([shown]);
    expect(await call('dan', 'changes', { sinceState: first })).toMatchObject({
      type: 'cannotCalculateChanges',
    });
    const { state: second } = await call('dan', 'get');

    await serve(OWNER, AUDITOR, CREATOR);
    expect(await get('dan')).toEqual(both);
    expect(await call('dan', 'changes', { sinceState: second })).toMatchObject({
      created: [hidden],
      destroyed: [],
    });
    const { created: more } = await call('bob', 'set', { create: { k: {} } });
    const { state: third } = await call('dan', 'get');

    // Nobody is known to have created the older objects.
    await serve(CREATOR);
    expect(await get('bob')).toEqual([more.k.id]);
    const { destroyed } = await call('dan', 'changes', { sinceState: third });
    expect([...destroyed].sort()).toEqual([...both, more.k.id].sort());
    expect(await get('ada')).toEqual([...both, more.k.id].sort());
  },
  900_000,
);
