import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import type { AccountName, Protocol } from '../model.js';
import { ACCOUNT_NAMES, type StartedServer } from './jmapsmith.js';
import { ROOT, startProcess } from './processes.js';

/**
 * Makes JavaScript of the servers written by hand, since what runs TypeScript as it is changes it
 * in ways that cost time (it names each function anew). Resolves to the folder.
 */
export async function compileBaselines(folder: string): Promise<string> {
  const target = join(folder, 'bench/servers');
  await mkdir(target, { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  // Prisma's client for SQLite and its migrations.
  await symlink(join(ROOT, 'dist/build'), join(folder, 'build'), 'junction');
  await symlink(join(ROOT, 'prisma'), join(folder, 'prisma'), 'junction');
  // The SQLite driver, and what Prisma's adapter needs.
  await symlink(join(ROOT, 'dist/src'), join(folder, 'src'), 'junction');
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  const sources = join(ROOT, 'bench/servers');
  for (const file of await readdir(sources)) {
    const { outputText } = ts.transpileModule(await readFile(join(sources, file), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      },
      fileName: file,
    });
    await writeFile(join(target, file.replace(/[.]ts$/, '.js')), outputText);
  }
  return target;
}

interface Options {
  readonly name: string;
  readonly protocol: Protocol;
  /** Where `compileBaselines` has put them. */
  readonly compiled: string;
  /** A folder of its own. */
  readonly folder: string;
  readonly databaseUrl?: string;
  readonly nodeOptions: readonly string[];
}

export async function startBaseline(options: Options): Promise<StartedServer> {
  const { name, protocol, compiled, folder } = options;
  await mkdir(folder, { recursive: true });
  // As long as jmapsmith's: they are in every key.
  const accountIds = Object.fromEntries(
    ACCOUNT_NAMES.map((account) => [account, `a${randomBytes(13).toString('hex')}`]),
  ) as Record<AccountName, string>;
  const token = randomBytes(32).toString('base64url');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE: options.databaseUrl ?? join(folder, 'todos.db'),
    TOKEN_HASH: hash('sha256', token, 'hex'),
    ACCOUNTS: Object.values(accountIds).join(','),
  };
  const kind = name === 'http' ? 'echo-http' : name;
  const argv = [...options.nodeOptions, join(compiled, 'main.js'), kind];
  const { url, pid, stop } = await startProcess(name, argv, { env });
  return { name, protocol, url, pid, token, stop, accountIds };
}
