import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { DRIVER_PATH } from '../../src/database/sqlite/index.js';

/** Another process that has run `sql` on a database and holds what locks that took. */
export interface OtherProcess {
  /** Runs more SQL there. */
  exec(sql: string): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

const PROGRAM = `
  const [file] = process.argv.slice(1);
  const db = new (require(${JSON.stringify(DRIVER_PATH)}))(file);
  process.on('message', (sql) => { db.exec(sql); process.send('done'); });
  process.send('done');
`;

export async function otherProcess(file: string, sql: string): Promise<OtherProcess> {
  const child = spawn(process.execPath, ['-e', PROGRAM, file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => kill(child));
  await once(child, 'message');
  const exec = async (text: string): Promise<void> => {
    const done = once(child, 'message');
    child.send(text);
    await done;
  };
  await exec(sql);
  return { exec, kill: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
