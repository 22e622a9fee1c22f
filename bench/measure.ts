import { USING } from './fill.js';
import { KINDS, kindOf } from './kinds.js';
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
  const kind = kindOf(server.name);
  const own = KINDS.find(({ name }) => name === kind)?.jobs;
  if (own !== undefined) return own.includes(job.name);
  if (kind === 'jmapsmith-indexed') return job.indexed === true;
  if (server.protocol === 'echo') return job.name === 'Core/echo';
  if (server.protocol === 'rest') return job.byRoutes(NOWHERE, 0).length > 0;
  if (kind === 'jmapsmith-pg' && job.name.startsWith('flat')) return false;
  return job.indexed !== true || kind === 'jmapsmith-pg';
}

/**
 * The order of a round: another one begins each time, and the direction alternates. So the burden
 * that one leaves behind (the log of a database, the pages it has to write) isn't always the same
 * one's.
 */
export function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  const first = round % Math.max(1, all.length);
  const turned = [...all.slice(first), ...all.slice(0, first)];
  return round % 2 === 0 ? turned : [...turned.slice(0, 1), ...turned.slice(1).reverse()];
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
          .byRoutes(accounts, n)
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
  const found =
    server.protocol === 'rest'
      ? values.reduce((sum, value) => sum + ofRoutes(value), 0)
      : ofJmap(values[0]?.['methodResponses']);
  if (found !== job.objects)
    throw new Error(
      `${server.name} answered ${job.name} with ${found} objects, not ${job.objects}: ` +
        `${texts[0]?.slice(0, 500)}`,
    );
}

function ofRoutes(value: Record<string, unknown>): number {
  const { added, todos, todo } = value;
  if (Array.isArray(added)) return count(added, RANK);
  if (Array.isArray(todos)) return count(todos, TODO);
  if (todo !== undefined) return count([todo], TODO);
  return 'id' in value ? count([value], TODO) : 0;
}

function ofJmap(responses: unknown): number {
  let sum = 0;
  for (const [name, args] of responses as [string, Record<string, unknown>][]) {
    if (name === 'error') throw new Error(`A method answered ${JSON.stringify(args)}.`);
    // Lists of ids are no objects: those of /changes are fetched by the next call.
    if (name === 'Todo/changes') continue;
    for (const [list, properties] of Object.entries(OF_JMAP))
      sum += count(Object.values(args[list] ?? {}), properties);
  }
  return sum;
}

/**
 * Counts the objects of an answer. Throws where one lacks a property: an answer with less would be
 * less work.
 */
function count(objects: readonly unknown[], properties: readonly string[]): number {
  for (const object of objects)
    for (const property of properties)
      if ((object as Record<string, unknown>)[property] === undefined)
        throw new Error(`${JSON.stringify(object)} was answered, without ${property}.`);
  return objects.length;
}

const TODO = ['id', 'text', 'done', 'created', 'updated'];
const RANK = ['id', 'index'];
/**
 * JMAP answers the values of created or changed objects that the client doesn't know (RFC 8620
 * 5.3).
 */
const OF_JMAP: Readonly<Record<string, readonly string[]>> = {
  list: TODO,
  added: RANK,
  created: ['id', 'created', 'updated'],
  updated: ['updated'],
};

const NOTHING = Buffer.alloc(0);
const NO_ACCOUNT = { id: '', ids: [], halfway: '', since: '', queryState: '' };
const NOWHERE: Accounts = {
  small: NO_ACCOUNT,
  big: NO_ACCOUNT,
  scratch: NO_ACCOUNT,
  huge: NO_ACCOUNT,
};
