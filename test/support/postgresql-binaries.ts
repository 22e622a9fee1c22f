import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

export interface BinaryOptions {
  /** The folder of `postgres` and `initdb`. */
  readonly binaries: string;
  readonly databaseDir: string;
  readonly port: number;
  readonly initdbFlags: readonly string[];
  readonly postgresFlags: readonly string[];
  readonly onLog: (text: string) => void;
}

const READY = 'database system is ready to accept connections';

/**
 * Any PostgreSQL that is installed, in the place of the one that comes with the package for tests.
 */
export class PostgresqlBinaries {
  readonly #options: BinaryOptions;
  readonly #identity: { readonly uid?: number; readonly gid?: number };
  #process: ChildProcess | undefined;

  constructor(options: BinaryOptions) {
    this.#options = options;
    this.#identity = identity();
    process.once('exit', () => this.#process?.kill('SIGKILL'));
  }

  async initialise(): Promise<void> {
    const { databaseDir, initdbFlags } = this.#options;
    const { uid, gid } = this.#identity;
    if (uid !== undefined && gid !== undefined) chownSync(databaseDir, uid, gid);
    const child = this.#run('initdb', ['-D', databaseDir, '-U', 'postgres', ...initdbFlags]);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`initdb ended with ${String(code)}.`);
  }

  async start(): Promise<void> {
    const { databaseDir, port, postgresFlags } = this.#options;
    const child = this.#run('postgres', ['-D', databaseDir, '-p', String(port), ...postgresFlags]);
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (text: string) => {
        if (text.includes(READY)) resolve();
      });
      child.once('close', () => reject(new Error('PostgreSQL ended at its start.')));
    });
  }

  /** SIGINT: an orderly end that cuts clients off. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  }

  async createDatabase(name: string): Promise<void> {
    const { port } = this.#options;
    const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
    await client.connect();
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    await client.end();
  }

  #run(program: string, args: readonly string[]): ChildProcess {
    const { binaries, databaseDir, onLog } = this.#options;
    const child = spawn(join(binaries, program), args, {
      ...this.#identity,
      cwd: databaseDir,
      env: { ...process.env, LC_MESSAGES: 'C' },
    });
    child.stdout.setEncoding('utf8').on('data', onLog);
    child.stderr.setEncoding('utf8').on('data', onLog);
    child.on('error', (error) => onLog(String(error)));
    return child;
  }
}

/** PostgreSQL refuses to run as root: then it is the user `postgres`, who must be there. */
function identity(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
