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

interface Measured {
  readonly name: string;
  /** The benchmark's job that sends this request. */
  readonly job: string;
  /** The files that it may enter at most. A change that needs fewer lowers the bound. */
  readonly most: number;
}

const MEASURED: readonly Measured[] = [
  { name: 'create', job: 'create 1', most: 65 },
  { name: 'update', job: 'update 1', most: 69 },
  { name: 'query + get', job: 'query, 50 of 10,000 by text', most: 64 },
  { name: 'get', job: 'get 1', most: 47 },
  { name: 'echo', job: 'Core/echo', most: 34 },
];

export interface RequestPath {
  readonly name: string;
  readonly most: number;
  readonly files: readonly string[];
}

const SIZES = { small: 200, big: 0, scratch: 200, huge: 0 };
/** Requests before anything is counted: code is compiled, statements are prepared. */
const WARM = 100;
/** How often a request is looked at. Files that a timer enters are in some of these looks only. */
const LOOKS = 5;

/**
 * Finds the files of the project that one warm request of each kind enters, on SQLite over HTTP.
 */
export async function filesEntered(): Promise<readonly RequestPath[]> {
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-path-'));
  const file = join(folder, 'files.json');
  const probe = new URL('load/path.mjs', import.meta.url);
  probe.searchParams.set('file', file);
  const server = await startJmapsmith({
    ...{ name: 'jmapsmith', folder, root: ROOT, nodeOptions: ['--import', probe.href] },
  });
  try {
    const accounts = await fill(server, SIZES);
    const found: RequestPath[] = [];
    for (const { name, job: jobName, most } of MEASURED) {
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
      const files = [...first].filter((one) => looks.every((look) => look.has(one)));
      found.push({ name, most, files });
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
