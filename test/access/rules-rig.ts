import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { endGroup } from '../../scripts/end-group.js';
import { generate } from '../../scripts/generator/command.js';
import { scopedTablesIn } from '../../src/access/shared-types.js';
import {
  addMember,
  changeRoles,
  createAccount,
  createGroup,
  createToken,
  grantAccess,
  removeMember,
  revokeAccess,
} from '../../src/accounts/index.js';
import { openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createIdGenerator, type IdGenerator } from '../../src/protocol/ids.js';
import { loadProject } from '../../src/server/project.js';
import { startServer } from '../../src/server/start.js';
import { capture, REPOSITORY, release } from '../scripts/generator/project.js';
import { Client, CORE } from '../support/client.js';

/**
 * Generates a project of a descriptor of this folder, once for a file. Returns its root. `hooks`:
 * the text of its hook file.
 */
export function useProject(descriptor: string, hooks?: string): () => string {
  let root = '';
  beforeAll(async () => {
    const text = await readFile(join(REPOSITORY, 'test/access', descriptor), 'utf8');
    root = await makeProject(text, undefined, hooks);
  }, 600_000);
  afterAll(() => rm(root, { recursive: true, force: true }));
  return () => root;
}

/** Generates a project of one descriptor; `before`: the root of its previous version. */
export async function makeProject(
  descriptor: string,
  before?: string,
  hooks?: string,
): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-rules-'));
  await mkdir(join(root, 'node_modules'));
  await symlink(REPOSITORY, join(root, 'node_modules', 'jmapsmith'));
  await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
  await mkdir(join(root, 'capabilities'));
  await writeFile(join(root, 'capabilities/notebooks.yaml'), descriptor);
  if (hooks !== undefined) await writeFile(join(root, 'capabilities/notebooks.hooks.ts'), hooks);
  if (before !== undefined) {
    await cp(join(before, 'prisma'), join(root, 'prisma'), { recursive: true });
    release(root);
  }
  const options = { check: false, dryRun: false, watch: false, root };
  expect(await capture(() => generate(options))).toMatchObject({ code: 0, stderr: '' });
  await linkBuild(root);
  return root;
}

/** The server loads what a build compiles: here the test's own compiler does that. */
async function linkBuild(root: string): Promise<void> {
  const link = async (path: string, target: string): Promise<void> => {
    const file = join(root, 'build/server', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `export * from ${JSON.stringify(pathToFileURL(target).href)};\n`);
  };
  await link('generated/registry.js', join(root, 'generated/registry.ts'));
  for (const database of ['sqlite', 'postgresql'])
    await link(
      `build/prisma/${database}/client.js`,
      join(REPOSITORY, `build/prisma/${database}/client.ts`),
    );
}

const USING = [CORE, 'urn:example:notebooks', 'urn:ietf:params:jmap:blob'];

/** A user: the owner of the account, or one to whom it is given or not. */
interface Member {
  readonly given?: 'read' | 'write' | 'nothing';
  readonly roles?: readonly string[];
}

/** A server over HTTP, and the people who use one account of it. */
export interface People<Name extends string> {
  readonly accountId: string;
  readonly users: Readonly<Record<Name, Person>>;
  /** Gives a user the account whole, as an operator does; `null` takes it away again. */
  give(name: Name, mode: 'read' | 'write' | null): Promise<void>;
  /** The database, beside the server. */
  readonly prisma: PrismaClient;
  /** The groups of users, as an operator changes them. */
  readonly groups: GroupCommands<Name>;
  /** Returns a client of a user whose token is narrowed so. */
  narrowed(name: Name, scope: Omit<Parameters<typeof createToken>[2], 'user'>): Promise<Client>;
  close(): Promise<void>;
}

/** The commands of an operator that change groups, by their names. */
export interface GroupCommands<Name extends string> {
  /** Resolves to the id. */
  create(group: string): Promise<string>;
  add(group: string, user: Name): Promise<void>;
  remove(group: string, user: Name): Promise<void>;
  delete(group: string): Promise<void>;
}

export interface Person {
  readonly id: string;
  /** The account of the person's own. */
  readonly ownAccountId: string;
  readonly client: Client;
}

interface Place {
  /** Of a PostgreSQL database; null: on SQLite. */
  readonly url: string | null;
  readonly dataDir: string;
  /** PRINCIPALS: by default users may share with all others. */
  readonly principals?: 'shared' | 'all' | 'off';
  /** Clients hear of changes; by default there is no push. */
  readonly hasPush?: boolean;
  /** More of the server's environment. */
  readonly more?: Readonly<Record<string, string>>;
}

/**
 * Starts a server of the project. The first one on a database makes the users; a later one finds
 * them.
 */
export async function startPeople<Name extends string>(
  root: string,
  { url, dataDir, principals: PRINCIPALS = 'all', hasPush = false, more = {} }: Place,
  members: Readonly<Record<Name, Member>>,
): Promise<People<Name>> {
  const database: Record<string, string> = url === null ? {} : { DATABASE_URL: url };
  const env = {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    PUSH: hasPush ? 'on' : 'off',
    PRINCIPALS,
    ...{ ...database, ...more },
  };
  const server = await startServer(root, { ...env, BOOTSTRAP_TOKEN: 'off' });
  const { prisma, end } = openDirectory(dataDir, url);
  const ids = createIdGenerator();
  const users: [string, Person][] = [];
  let accountId = '';
  for (const [name, member] of Object.entries<Member>(members)) {
    const own = await ownAccount(prisma, ids, name);
    if (member.given === undefined) accountId = own;
    else if (member.given !== 'nothing')
      await giveAccount(prisma, ids, { accountId, user: name, ...member });
    const token = await createToken(prisma, ids, { user: name });
    const client = new Client(server.url, token, USING);
    const user = await prisma.jmapUser.findFirstOrThrow({ where: { name } });
    users.push([name, { id: user.id, ownAccountId: own, client }]);
  }
  return {
    ...{ accountId, prisma },
    users: Object.fromEntries(users) as Record<Name, Person>,
    give: (user, mode) =>
      mode === null
        ? revokeAccess(prisma, accountId, user)
        : grantAccess(prisma, ids, { accountId, user, readOnly: mode === 'read' }),
    groups: await groupCommands(root, { dataDir, url }, { prisma, ids }),
    narrowed: async (user, scope) =>
      new Client(server.url, await createToken(prisma, ids, { user, ...scope }), USING),
    async close() {
      await end();
      await server.close();
    },
  };
}

async function groupCommands(
  root: string,
  { dataDir, url }: Pick<Place, 'dataDir' | 'url'>,
  { prisma, ids }: { readonly prisma: PrismaClient; readonly ids: IdGenerator },
): Promise<GroupCommands<string>> {
  const registry = createRegistry((await loadProject(root)).registry);
  const { dataTypes, relations } = registry;
  const file = join(dataDir, 'jmap.db');
  const database =
    url === null ? ({ kind: 'sqlite', file } as const) : ({ kind: 'postgresql', url } as const);
  const tables = scopedTablesIn(dataTypes, relations.viewRules.sharedTables);
  return {
    create: (group) => createGroup(prisma, ids, group),
    add: (group, user) => addMember(prisma, tables, { group, user }),
    remove: (group, user) => removeMember(prisma, tables, { group, user }),
    delete: (group) => endGroup(prisma, { registry, database }, group),
  };
}

async function ownAccount(prisma: PrismaClient, ids: IdGenerator, name: string): Promise<string> {
  const known = await prisma.jmapAccount.findFirst({ where: { name } });
  return known?.id ?? createAccount(prisma, ids, { name, user: name });
}

async function giveAccount(
  prisma: PrismaClient,
  ids: IdGenerator,
  { accountId, user, given, roles = [] }: Member & { accountId: string; user: string },
): Promise<void> {
  await grantAccess(prisma, ids, { accountId, user, readOnly: given === 'read' });
  await changeRoles(prisma, user, roles);
}

function openDirectory(
  dataDir: string,
  url: string | null,
): { readonly prisma: PrismaClient; end(): Promise<void> } {
  if (url === null) {
    const prisma = openPrismaStandalone(join(dataDir, 'jmap.db'));
    return { prisma, end: () => prisma.$disconnect() };
  }
  const pool = openPool({ url, size: 2 });
  return { prisma: openPrisma(pool), end: () => pool.end() };
}
