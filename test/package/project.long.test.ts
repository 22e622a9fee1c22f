import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { binOf, emptyFolder, install, jmapsmith, packOnce, tool, write } from './pack.js';

// A team's project from the empty folder to the next version of the package.
// The tests follow each other: each goes on from where the one before has brought the project.

const INVOICES = 'urn:example:invoices';
const DATABASES = ['sqlite', 'postgresql'] as const;

interface Served {
  server: RunningServer;
  readonly client: Client;
  readonly accountId: string;
}

const postgresql = usePostgresql();
const served = new Map<(typeof DATABASES)[number], Served>();
let project: Awaited<ReturnType<typeof emptyFolder>>;
let tarball: string;
let first: Record<string, string> = {};

beforeAll(async () => {
  project = await emptyFolder();
  ({ tarball } = await packOnce());
  await install(tarball, project.root);
});

afterAll(async () => {
  for (const { server } of served.values()) await server.remove();
  await project.remove();
});

/** A done to-do stays as it is; the reason is in a file of the team's own. */
const HOOKS = `import { REASON } from '../rules/reason.js';
import type { Hooks } from '../generated/invoices/hooks.js';

export const hooks = {
  types: {
    Invoice: {
      check(changes) {
        for (const { before, after, refuse } of changes)
          if (before?.done === true && after !== null)
            refuse({ type: 'forbidden', description: REASON });
      },
    },
  },
} satisfies Hooks;
`;

async function restartAll(): Promise<void> {
  for (const one of served.values()) one.server = await one.server.restart();
}

/** The invoices of an account by id, each as `property: value` of some properties. */
async function invoices({ client, accountId }: Served, properties: readonly string[]) {
  const { list } = await client.get('Invoice', { accountId, ids: null, properties });
  return Object.fromEntries(list.map(({ id, ...values }) => [id, values]));
}

/** Commits the migrations: what is committed is released. */
function release(root: string): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  for (const args of [
    ['init'],
    ['add', 'prisma'],
    [...who, 'commit', '--allow-empty', '-m', 'release'],
  ])
    execFileSync('git', args, { cwd: root, stdio: 'pipe' });
}

it('serves a new type from an empty folder', async () => {
  const { root } = project;
  await tool(root, ['new', 'Invoice']);
  await tool(root, ['generate']);
  const databases = {
    sqlite: {},
    postgresql: { DATABASE_URL: await postgresql().createDatabase('project') },
  };
  for (const name of DATABASES) {
    const server = await startServer({ project: root, bin: binOf(root), env: databases[name] });
    const { A1, u1 } = await makeFixtures(server, []);
    served.set(name, { server, client: u1.with([CORE, INVOICES]), accountId: A1 });
  }
  for (const [name, { client, accountId }] of served) {
    const create = { a: { name: 'Paper', done: true }, b: { name: 'Ink' } };
    const { created } = await client.set('Invoice', { accountId, create });
    first = {
      ...first,
      [`${name} a`]: `${created?.['a']?.['id']}`,
      [`${name} b`]: `${created?.['b']?.['id']}`,
    };
  }
}, 600_000);

it('knows no capability that a project does not have', async () => {
  for (const { client } of served.values())
    expect(Object.keys((await client.session())['capabilities'] as object).sort()).toEqual([
      INVOICES,
      'urn:ietf:params:jmap:blob',
      CORE,
      'urn:ietf:params:jmap:websocket',
      'urn:jmapsmith:explain',
      'urn:jmapsmith:once',
      'urn:jmapsmith:push',
      'urn:jmapsmith:reference',
      'urn:jmapsmith:sync',
    ]);
});

it('takes a hook file with a helper of its own, type-checked', async () => {
  const { root } = project;
  await write(root, 'capabilities/invoices.hooks.ts', HOOKS);
  await write(root, 'rules/reason.ts', 'export const REASON: number = 7;\n');
  await tool(root, ['generate']);
  const wrong = await jmapsmith(root, ['check']);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining('capabilities/invoices.hooks.ts'),
  ]);
  await write(root, 'rules/reason.ts', "export const REASON = 'Done is done.';\n");
  expect(await tool(root, ['check'])).toMatch(/^ok {4} {2}generated.*\nok.*\nok {4} {2}types/);
  await restartAll();
  for (const [name, { client, accountId }] of served) {
    const id = first[`${name} a`] ?? '';
    const { notUpdated } = await client.set('Invoice', {
      accountId,
      update: { [id]: { code: '7' } },
    });
    expect(notUpdated).toEqual({ [id]: { type: 'forbidden', description: 'Done is done.' } });
  }
});

it('compiles again when a helper of a hook file has changed', async () => {
  await write(project.root, 'rules/reason.ts', "export const REASON = 'Settled.';\n");
  await restartAll();
  const sqlite = served.get('sqlite');
  const id = first['sqlite a'] ?? '';
  const update = { [id]: { code: '7' } };
  const answer = await sqlite?.client.set('Invoice', { accountId: sqlite.accountId, update });
  expect(answer?.notUpdated?.[id]).toMatchObject({ description: 'Settled.' });
});

it('names the hook file that can not be loaded', async () => {
  const { root } = project;
  const hooks = await readFile(join(root, 'capabilities/invoices.hooks.ts'), 'utf8');
  await write(root, 'capabilities/invoices.hooks.ts', hooks.replace('/reason.js', '/reason'));
  for (const args of [['check'], ['generate', '--check'], ['account', 'reset-states']]) {
    const { code, stderr } = await jmapsmith(root, args);
    expect([code, stderr], args.join(' ')).toEqual([
      2,
      expect.stringMatching(
        /capabilities\/invoices\.hooks\.ts:\d+:\d+: .* write '\.\.\/rules\/reason\.js'/,
      ),
    ]);
  }
  await write(root, 'capabilities/invoices.hooks.ts', hooks.replace('/reason.js', '/reason.ts'));
  expect(await tool(root, ['check'])).toContain('types');
});

it("compiles beside a program of the team, with the team's own options", async () => {
  const { root } = project;
  const compilerOptions = {
    ...{ strict: true, noEmit: true, composite: true, allowImportingTsExtensions: true },
    ...{ module: 'NodeNext', moduleResolution: 'NodeNext', jsx: 'react-jsx' },
    ...{ outDir: 'dist', declarationDir: 'types', noPropertyAccessFromIndexSignature: true },
  };
  await write(root, 'tsconfig.json', JSON.stringify({ compilerOptions, include: ['app'] }));
  await write(root, 'dist/app.js', '// ours\n');
  await tool(root, ['build']);
  expect(await readdir(join(root, 'dist'))).toEqual(['app.js']);
  expect(await tool(root, ['check'])).toContain('types');
});

it('keeps data through a rename', async () => {
  const { root } = project;
  release(root);
  const file = join(root, 'capabilities/invoices.yaml');
  const before = await readFile(file, 'utf8');
  const renamed = before
    .replace('      name: { type: string', '      title: { renamedFrom: name, type: string')
    .replace('required: [name]', 'required: [title]')
    .replace('      name: { is: contains', '      title: { is: contains')
    .replace('{ property: name, indexed', '{ property: title, indexed');
  const careless = renamed.replace('renamedFrom: name, ', '');
  await write(root, 'capabilities/invoices.yaml', careless);
  expect((await jmapsmith(root, ['generate'])).code).toBe(2);
  await write(root, 'capabilities/invoices.yaml', renamed);
  // The compiled files must be what the descriptors say.
  const stale = await jmapsmith(root, ['build']);
  expect([stale.code, stale.stderr]).toEqual([
    1,
    expect.stringContaining('Run npx jmapsmith generate'),
  ]);
  await tool(root, ['generate']);
  const pending = await served.get('sqlite')?.server.command('migrate', ['--status']);
  expect(pending).toEqual({
    code: 1,
    stdout: expect.stringContaining('pending 0002_'),
    stderr: '',
  });
  await restartAll();
  for (const [name, one] of served)
    expect(await invoices(one, ['title', 'done'])).toEqual({
      [first[`${name} a`] ?? '']: { title: 'Paper', done: true },
      [first[`${name} b`] ?? '']: { title: 'Ink', done: false },
    });
});

describe('the next version of the package', () => {
  it('is refused until its output is generated, and keeps data of its own tables', async () => {
    const { root } = project;
    release(root);
    await install(tarball, root);
    await nextVersion(join(root, 'node_modules/jmapsmith'));
    expect(await tool(root, ['--version'])).toBe('99.0.0');
    const refused = await jmapsmith(root, ['start']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Run npx jmapsmith generate'),
    ]);
    await tool(root, ['generate']);
    await restartAll();
    for (const [name, one] of served) {
      expect(await invoices(one, ['title'])).toEqual({
        [first[`${name} a`] ?? '']: { title: 'Paper' },
        [first[`${name} b`] ?? '']: { title: 'Ink' },
      });
      const { created } = await one.client.set('Invoice', {
        accountId: one.accountId,
        create: { c: { title: 'Glue' } },
      });
      expect(Object.keys(created ?? {})).toEqual(['c']);
      expect(await one.server.tool('scripts/account', ['list'])).toContain(one.accountId);
    }
    expect(await tool(root, ['check'])).toContain('types');
  });
});

/**
 * Makes an installed package a later one: another version, and a column more in one of the engine's
 * tables.
 */
async function nextVersion(folder: string): Promise<void> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  await write(
    folder,
    'package.json',
    manifest.replace(/"version": "[^"]+"/, '"version": "99.0.0"'),
  );
  const tables = 'dist/scripts/generator/emit/prisma-shared-tables.js';
  const text = await readFile(join(folder, tables), 'utf8');
  const changed = text.replace(
    "column('ownerId', 'String'),",
    "column('ownerId', 'String'), column('note', 'String', { nullable: true }),",
  );
  expect(changed).not.toBe(text);
  await write(folder, tables, changed);
}
