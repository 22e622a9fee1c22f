import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { JOBS } from './jobs/jobs.js';
import { besideBefore, KINDS } from './kinds.js';
import type { Job } from './model.js';

export const HELP = `usage: npm run bench -- [OPTION...]

Measures jmapsmith over HTTP beside servers written by hand, in turns, and prints the ratios.

  --quick          a smoke test: one short round on few objects
  --rounds N       rounds of all jobs and servers (5)
  --seconds S      length of one measurement (3)
  --jobs A,B       only jobs whose name begins so, for instance 'get,create 1' or 'query, newest'
  --servers A,B    only these servers
  --before DIR     each jmapsmith beside that of another checkout, where npm ci was run
  --out FILE       where the figures go, as JSON (bench/results/TIME.json)
  --cpu-prof DIR   each server writes a CPU profile there as it ends
  --list           lists jobs and servers

  npm run bench -- generate   measures the generator
  npm run bench -- event-loop measures how long anything blocks the server
  npm run bench -- store-pg   measures the store on PostgreSQL, without HTTP
  npm run bench -- sockets    measures the memory of idle WebSockets
  npm run bench -- waits      measures how long a request keeps another user waiting
  npm run bench -- identity   measures requests by tokens of an identity provider
  npm run bench -- access     measures what access rules and shares cost
  npm run bench -- client     measures the typed client
  npm run bench -- path       counts the files that a request enters
`;

export interface Options {
  readonly quick: boolean;
  readonly rounds: number;
  readonly seconds: number;
  readonly jobs: readonly Job[];
  readonly kinds: typeof KINDS;
  /** An older checkout, absolute; null for none. */
  readonly before: string | null;
  readonly out: string | null;
  readonly profiles: string | null;
}

/** Null: only help or a list was asked for, which is the text. */
export function readOptions(argv: readonly string[]): Options | string {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      jobs: { type: 'string' },
      servers: { type: 'string' },
      before: { type: 'string' },
      out: { type: 'string' },
      'cpu-prof': { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return HELP;
  if (values.list) return listing();
  const { quick } = values;
  const before = values.before === undefined ? null : checkout(values.before);
  const kinds = selected('--servers', values.servers, KINDS, (name, wanted) => name === wanted);
  return {
    quick,
    rounds: quick ? 1 : wholeNumber('--rounds', values.rounds),
    seconds: quick ? 0.2 : positive('--seconds', values.seconds),
    jobs: selected('--jobs', values.jobs, JOBS, (name, wanted) => name.startsWith(wanted)),
    kinds: before === null ? kinds : kinds.flatMap((kind) => besideBefore(kind, before)),
    before,
    out: values.out ?? null,
    profiles: values['cpu-prof'] ?? null,
  };
}

function checkout(folder: string): string {
  const root = resolve(folder);
  for (const part of ['scripts/build.mjs', 'bin/jmapsmith.mjs', 'node_modules'])
    if (!existsSync(join(root, part)))
      throw new Error(
        `--before=${JSON.stringify(folder)}: there is no ${part} in it; it takes a checkout of ` +
          'jmapsmith where npm ci was run.',
      );
  return root;
}

function listing(): string {
  const servers = KINDS.map(({ name, what }) => `  ${name.padEnd(24)} ${what}`);
  const jobs = JOBS.map(({ name }) => `  ${name}`);
  return `Servers:\n${servers.join('\n')}\n\nJobs:\n${jobs.join('\n')}\n`;
}

function selected<T extends { readonly name: string }>(
  option: string,
  value: string | undefined,
  all: readonly T[],
  matches: (name: string, wanted: string) => boolean,
): readonly T[] {
  if (value === undefined) return all;
  // Names of jobs have commas themselves: 'query, newest' is one.
  const isOne = all.some(({ name }) => matches(name, value));
  const wanted = isOne ? [value] : value.split(',').map((one) => one.trim());
  for (const one of wanted)
    if (!all.some(({ name }) => matches(name, one)))
      throw new Error(
        `${option}: there is no ${JSON.stringify(one)}; there are ` +
          `${all.map(({ name }) => JSON.stringify(name)).join(', ')}.`,
      );
  return all.filter(({ name }) => wanted.some((one) => matches(name, one)));
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!(Number.isInteger(number) && number >= 1))
    throw new Error(`${option}=${JSON.stringify(text)}: it takes a whole number from 1.`);
  return number;
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${option}=${JSON.stringify(text)}: it takes seconds.`);
  return number;
}
