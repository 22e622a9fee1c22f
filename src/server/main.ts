import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MissingClientError } from '../blobs/index.js';
import { MigrationError } from '../database/migrations.js';
import { isUnavailable, isUnusable } from '../database/postgresql/driver-errors.js';
import { DatabaseFileError, DriverError, ServerLockError } from '../database/sqlite/index.js';
import { MissingHookError } from '../hooks/required.js';
import { UnavailableError } from '../protocol/errors.js';
import { AuthFileError } from './auth-file-error.js';
import { ConfigError } from './config.js';
import { useLessMemory } from './memory.js';
import { projectRoot } from './package-root.js';
import { ProjectError } from './project.js';
import { type StartedServer, startServer } from './start.js';
import { messageOf } from './unavailable.js';

/** The program: a server as this process, its signals and its end. */

/** Exit codes of the contract. */
const EXIT = Object.freeze({ fine: 0, refused: 1, input: 2, defect: 70 });

/** Contract: at most so long from SIGTERM to the end, ms. */
const LAST_MOMENT = 10_000;
/** How long log lines that are on their way may take, ms. */
const LAST_LINES = 100;

/** Runs the server as this process. */
async function run(): Promise<void> {
  useLessMemory();
  // The database, its log and the blobs are for this user alone, in whatever folder.
  process.umask(0o077);
  let server: StartedServer;
  try {
    server = await startServer(projectRoot(), process.env);
  } catch (error) {
    const { code, message } = startFailure(error);
    process.stderr.write(`jmapsmith: ${message}\n`);
    process.exit(code);
  }
  const { log, flush } = server;
  const end = (code: number): void => {
    const isHeld = server.isHeld();
    if (isHeld) log.warn({ code }, 'a thread is within a read: the process ends by SIGKILL');
    flush();
    if (!isHeld) process.exit(code);
    // `exit` waits for each thread, and nothing can stop SQLite's code from outside. SIGKILL drops
    // log lines that another thread has yet to write, so they get a moment first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_LINES);
    process.kill(process.pid, 'SIGKILL');
  };
  const defect = (error: unknown): void => {
    log.fatal({ err: error }, 'defect: the process ends');
    end(EXIT.defect);
  };
  process.on('uncaughtException', defect);
  process.on('unhandledRejection', defect);
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // A step that hangs must not keep the process: all that was acknowledged is on disk already.
    setTimeout(() => end(EXIT.fine), LAST_MOMENT).unref();
    server.close().then(() => end(EXIT.fine), defect);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The program that started this one may stop reading.
  process.stdout.on('error', (error) => log.warn({ err: error }, 'stdout is closed'));
  for (const line of server.lines) process.stdout.write(`${line}\n`);
}

/** Errors that say themselves what to do, and their exit codes. */
const START_FAILURES = [
  [ConfigError, EXIT.input],
  [AuthFileError, EXIT.input],
  [MissingClientError, EXIT.input],
  [MissingHookError, EXIT.input],
  [ProjectError, EXIT.input],
  [ServerLockError, EXIT.refused],
  [DatabaseFileError, EXIT.refused],
  [DriverError, EXIT.refused],
  [MigrationError, EXIT.refused],
  [UnavailableError, EXIT.refused],
] as const;

/** Returns the message and the exit code of a start that failed. */
function startFailure(error: unknown): { readonly code: number; readonly message: string } {
  const message = messageOf(error);
  const known = START_FAILURES.find(([Failure]) => error instanceof Failure);
  if (known !== undefined) return { code: known[1], message };
  const { code, syscall } = error as NodeJS.ErrnoException;
  const refused = (why: string) => ({ code: EXIT.refused, message: `${message}${why}` });
  if (code === 'EADDRINUSE') return refused(': set PORT or HOST, or stop what listens there.');
  const isSystem = syscall !== undefined || code?.startsWith('SQLITE_') === true;
  if (isSystem || isUnavailable(error) || isUnusable(error)) {
    return refused(` (${code}): see HOST, DATA_DIR, DATABASE_URL, BLOB_STORE.`);
  }
  const text = error instanceof Error ? (error.stack ?? message) : message;
  return { code: EXIT.defect, message: text };
}

const entry = process.argv[1];
if (entry !== undefined && realpathSync(entry) === fileURLToPath(import.meta.url)) await run();
