import { USING } from './fill.js';
import { generateLoad, requestText } from './load/generate.js';
import type { Accounts, Job, Measurement, Server } from './model.js';

export const CONNECTIONS = 16;

export interface Duration {
  /** Of a measurement. */
  readonly seconds: number;
  readonly warmUp: number;
}

/** Whether a server takes part in a job. */
export function takesPart(server: Pick<Server, 'name' | 'protocol'>, job: Job): boolean {
  if (server.name === 'jmapsmith-indexed') return job.indexed === true;
  if (server.protocol === 'echo') return job.name === 'Core/echo';
  if (server.protocol === 'rest') return job.rest(NOWHERE, 0).length > 0;
  if (server.name === 'jmapsmith-pg' && job.name.startsWith('flat')) return false;
  return job.indexed !== true || server.name === 'jmapsmith-pg';
}

/** Runs a job against a server; throws where answers are not what the job is about. */
export function measure(
  server: Server,
  job: Job,
  accounts: Accounts,
  duration: Duration,
): Promise<Measurement> {
  const { port } = new URL(server.url);
  const texts = (n: number): readonly Buffer[] =>
    server.protocol === 'rest'
      ? job
          .rest(accounts, n)
          .map(({ method, path, body }) => requestText(method, path, server.token, body))
      : [
          requestText('POST', '/jmap', server.token, {
            using: USING,
            methodCalls: job.jmap(accounts, n),
          }),
        ];
  // Most jobs always send the same: its text is made once, so that making it is not measured.
  const same = texts(1);
  const changing = texts(2).some((text, index) => !text.equals(same[index] ?? NOTHING));
  return generateLoad({
    ...{ port: Number(port), pid: server.pid, connections: CONNECTIONS, ...duration },
    requests: changing ? texts : () => same,
    check: (bodies) => check(server, job, bodies),
  });
}

function check(server: Server, job: Job, bodies: readonly Buffer[]): void {
  const texts = bodies.map((body) => body.toString('utf8'));
  if (server.protocol === 'echo') return;
  const values = texts.map((text) => JSON.parse(text) as Record<string, unknown>);
  const count =
    server.protocol === 'rest'
      ? values.reduce((sum, value) => sum + ofRoutes(value), 0)
      : ofJmap(values[0]?.['methodResponses']);
  if (count !== job.objects)
    throw new Error(
      `${server.name} answered ${job.name} with ${count} objects, not ${job.objects}: ${texts[0]?.slice(0, 500)}`,
    );
}

function ofRoutes(value: Record<string, unknown>): number {
  for (const list of [value['todos'], value['added']]) if (Array.isArray(list)) return list.length;
  return 'todo' in value || 'id' in value ? 1 : 0;
}

function ofJmap(responses: unknown): number {
  let count = 0;
  for (const [name, args] of responses as [string, Record<string, unknown>][]) {
    if (name === 'error') throw new Error(`A method answered ${JSON.stringify(args)}.`);
    for (const list of ['list', 'added', 'created', 'updated']) {
      const found = args[list];
      // Lists of ids are no objects: those of /changes are fetched by the next call.
      if (name === 'Todo/changes' || found === null || typeof found !== 'object') continue;
      count += Object.keys(found).length;
    }
  }
  return count;
}

const NOTHING = Buffer.alloc(0);
const NO_ACCOUNT = { id: '', ids: [], halfway: '', since: '', queryState: '' };
const NOWHERE: Accounts = {
  small: NO_ACCOUNT,
  big: NO_ACCOUNT,
  scratch: NO_ACCOUNT,
  huge: NO_ACCOUNT,
};
