import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';

const driver = createRequire(import.meta.url).resolve('better-sqlite3');

/** Another process that has run `sql` on a database and holds what locks that took. */
export interface OtherProcess {
  /** Runs more SQL there. */
  exec(sql: string): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

const PROGRAM = `
  const [file] = process.argv.slice(1);
  const db = new (require(${JSON.stringify(driver)}))(file);
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
