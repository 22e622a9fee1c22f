import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fill } from './fill.js';
import { JOBS } from './jobs/jobs.js';
import type { Call, Server } from './model.js';
import { startJmapsmith } from './start/jmapsmith.js';
import { ROOT, run as runTool } from './start/processes.js';

/** Jobs of one request, and the names that they have here. */
const MEASURED = [
  ['create', 'create 1'],
  ['update', 'update 1'],
  ['query + get', 'query, 50 of 10,000 by text'],
  ['get', 'get 1'],
  ['echo', 'Core/echo'],
] as const;

const SIZES = { small: 200, big: 0, scratch: 200, huge: 0 };
/** Requests before anything is counted: code is compiled, statements are prepared. */
const WARM = 100;
/** Looks at one request; what a timer enters is in some of them alone. */
const LOOKS = 5;

/** By job, the files of the project that one warm request enters, on SQLite over HTTP. */
export async function filesEntered(): Promise<ReadonlyMap<string, readonly string[]>> {
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-path-'));
  const file = join(folder, 'files.json');
  process.env['PATH_FILE'] = file;
  const probe = ['--import', new URL('load/path.mjs', import.meta.url).href];
  const server = await startJmapsmith({
    ...{ name: 'jmapsmith', folder, root: ROOT, nodeOptions: probe },
  });
  try {
    const accounts = await fill(server, SIZES);
    const found = new Map<string, readonly string[]>();
    for (const [name, jobName] of MEASURED) {
      const job = JOBS.find((one) => one.name === jobName);
      if (job === undefined) throw new Error(`There is no job ${jobName}.`);
      let sent = 0;
      const request = () => send(server, job.jmap(accounts, sent++));
      for (let n = 0; n < WARM; n += 1) await request();
      const looks: ReadonlySet<string>[] = [];
      for (let look = 0; look < LOOKS; look += 1) {
        await readFiles(server.pid, file);
        await request();
        looks.push(new Set(await readFiles(server.pid, file)));
      }
      const [first = new Set<string>()] = looks;
      found.set(
        name,
        [...first].filter((one) => looks.every((look) => look.has(one))),
      );
    }
    return found;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function send(server: Server, methodCalls: readonly Call[]): Promise<void> {
  const response = await fetch(`${server.url}/jmap`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      using: ['urn:ietf:params:jmap:core', 'urn:example:todos'],
      methodCalls,
    }),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"error"') || /"not\w+":\{/.test(text))
    throw new Error(`${response.status} ${text.slice(0, 300)}`);
}

/** The files that the server has entered since they were read the last time. */
async function readFiles(pid: number, file: string): Promise<readonly string[]> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await pause(5);
  return JSON.parse(await readFile(file, 'utf8')) as string[];
}
