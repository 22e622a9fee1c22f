import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { generate } from '../../scripts/generator/command.js';
import { changeRoles, createAccount, createToken, grantAccess } from '../../src/accounts/index.js';
import { openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { startServer } from '../../src/server/start.js';
import { capture, REPOSITORY } from '../scripts/generator/project.js';
import { Client, CORE } from '../support/client.js';

/** Generates a project of a descriptor of this folder, once for a file. Returns its root. */
export function useProject(descriptor: string): () => string {
  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'jmapsmith-rules-'));
    await mkdir(join(root, 'node_modules'));
    await symlink(REPOSITORY, join(root, 'node_modules', 'jmapsmith'));
    await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
    await mkdir(join(root, 'capabilities'));
    const text = join(REPOSITORY, 'test/access', descriptor);
    await copyFile(text, join(root, 'capabilities', descriptor));
    const options = { check: false, dryRun: false, watch: false, root };
    expect(await capture(() => generate(options))).toMatchObject({ code: 0, stderr: '' });
    await linkBuild(root);
  }, 600_000);
  afterAll(() => rm(root, { recursive: true, force: true }));
  return () => root;
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
      join(REPOSITORY, `build/prisma/${database}/client.js`),
    );
}

/** A user of the account: the owner, or one to whom it is given. */
interface Member {
  readonly given?: 'read' | 'write';
  readonly roles?: readonly string[];
}

/** A server over HTTP, and the people who use one account of it. */
export interface People<Name extends string> {
  readonly accountId: string;
  readonly users: Readonly<Record<Name, Person>>;
  close(): Promise<void>;
}

export interface Person {
  readonly id: string;
  /** The account of the person's own. */
  readonly ownAccountId: string;
  readonly client: Client;
}

/** Starts a server of the project on SQLite, or on the database of `url`. */
export async function startPeople<Name extends string>(
  root: string,
  url: string | null,
  members: Readonly<Record<Name, Member>>,
): Promise<People<Name>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-rules-data-'));
  const database: Record<string, string> = url === null ? {} : { DATABASE_URL: url };
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'fatal', PUSH: 'off', ...database };
  const server = await startServer(root, { ...env, BOOTSTRAP_TOKEN: 'off' });
  const { prisma, end } = openDirectory(dataDir, url);
  const ids = createIdGenerator();
  const users: [string, Person][] = [];
  let accountId = '';
  for (const [name, { given, roles = [] }] of Object.entries<Member>(members)) {
    const own = await createAccount(prisma, ids, { name, user: name });
    if (given === undefined) accountId = own;
    else await grantAccess(prisma, ids, { accountId, user: name, readOnly: given === 'read' });
    await changeRoles(prisma, name, roles);
    const token = await createToken(prisma, ids, { user: name });
    const client = new Client(server.url, token, [CORE, 'urn:example:notebooks']);
    const user = await prisma.jmapUser.findFirstOrThrow({ where: { name } });
    users.push([name, { id: user.id, ownAccountId: own, client }]);
  }
  return {
    accountId,
    users: Object.fromEntries(users) as Record<Name, Person>,
    async close() {
      await end();
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
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
