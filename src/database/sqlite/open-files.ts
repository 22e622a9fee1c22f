import {
  accessSync,
  constants,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UnavailableError } from '../../protocol/errors.js';

/** A database file that must not be opened as it lies there. The message says what to do. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError';
}

/**
 * Returns the path of a database file with all symbolic links followed, as SQLite follows them. The
 * file need not be there yet; its folder must.
 */
export function realDatabasePath(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return realDatabasePath(resolve(dirname(file), readlinkSync(file)));
  return join(realpathSync(dirname(file)), basename(file));
}

/**
 * Throws DatabaseFileError where the file may have a second path. SQLite keeps the write-ahead log
 * beside the path that it was given: two paths to one file have two logs, and each one's writes
 * undo the other's. The server's lock lies beside the path, too.
 */
export function requireOnePath(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile())
    throw new DatabaseFileError(`${file} is not a file. Set DATABASE_URL to the database's file.`);
  if (found.nlink > 1) {
    throw new DatabaseFileError(
      `${file} has ${found.nlink} hard links: if another process opened the database by another ` +
        'name, writes of both would be lost. Remove the other names ' +
        `(find / -xdev -samefile '${file}'). To copy a database, use the backup command, not ` +
        'links.',
    );
  }
  const path = realDatabasePath(file);
  if (!mountPoints().has(path)) return;
  throw new DatabaseFileError(
    `${path} is mounted as a single file: its write-ahead log would lie outside of the mount and ` +
      'be lost. Mount the folder that holds it.',
  );
}

/**
 * Throws DatabaseFileError where this process may not write to the database's folder, to its files
 * or to `others`. SQLite says no more than that it can't open a file.
 */
export function requireAccess(file: string, others: readonly string[] = []): void {
  const path = realDatabasePath(file);
  requireMode(dirname(path), constants.W_OK | constants.X_OK);
  for (const each of [path, `${path}-wal`, `${path}-shm`, ...others])
    requireMode(each, constants.R_OK | constants.W_OK);
}

function requireMode(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A log is not there before its first user opens it, nor after its last one has closed it.
    if (code === 'ENOENT') return;
    const why =
      code === 'EROFS'
        ? 'its file system is mounted read-only'
        : `the user of this process (${process.getuid?.() ?? 'unknown'}) lacks the permission. ` +
          "Run it as the user who owns the database's files, or change their owner";
    throw new DatabaseFileError(`${path} can't be written (${code}): ${why}. See DATABASE_URL.`, {
      cause: error,
    });
  }
}

/** Returns the paths where file systems or files are mounted; none unless Linux tells them. */
function mountPoints(): ReadonlySet<string> {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
  } catch {
    return new Set();
  }
}

/** The kernel writes a space, a tab, a line break and a backslash as \ooo. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

interface OpenFile {
  readonly path: string;
  /** Its device and inode. */
  readonly identity: string;
}

/**
 * The files of a database that this process has open: the database, its write-ahead log with the
 * log's index, and further ones. A file stays open when its name is removed, so writes to it would
 * succeed, be acknowledged, and be gone at the next start.
 */
export class OpenFiles {
  readonly #files: readonly OpenFile[];

  /** Make it once the database is open and was read from. It leaves out files that don't exist. */
  constructor(file: string, others: readonly string[] = []) {
    const real = realDatabasePath(file);
    const paths = [file, `${real}-wal`, `${real}-shm`, ...others];
    this.#files = paths.flatMap((path) => {
      const identity = identityOf(path);
      return identity === null ? [] : [{ path, identity }];
    });
  }

  /** Throws UnavailableError unless each path still leads to the open file. Takes some 4 µs. */
  require(): void {
    for (const { path, identity } of this.#files) {
      if (identityOf(path) !== identity) throw movedError(path);
    }
  }
}

function movedError(path: string): UnavailableError {
  return new UnavailableError('The database was removed or replaced.', {
    cause: new Error(
      `${path} is no longer the file that was opened: it was removed, renamed or replaced. ` +
        'Nothing is written until the same file is back. To go on with another one, restart the ' +
        'server',
    ),
  });
}

/** Returns null where the path leads to nothing, or can't be followed. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
