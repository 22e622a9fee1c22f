import type { Kind } from './model.js';

/** Rules that nobody meets, and the one for addresses that is there by default. */
const RATES = 'user:100000000/1m,address:100/1m';
const RATED_JOBS: readonly string[] = ['get 1'];

export const KINDS: readonly Kind[] = [
  { name: 'jmapsmith', what: 'jmapsmith on SQLite', protocol: 'jmap' },
  {
    name: 'express',
    what: 'by hand: Express 5, better-sqlite3, a commit for each write',
    protocol: 'rest',
  },
  {
    name: 'fastify',
    what: 'by hand: Fastify 5, better-sqlite3, a commit for each write',
    protocol: 'rest',
  },
  {
    name: 'fastify-shared',
    what: 'by hand: Fastify 5, better-sqlite3, writes that wait share a commit',
    protocol: 'rest',
  },
  { name: 'express-prisma', what: 'by hand: Express 5, Prisma 7 on SQLite', protocol: 'rest' },
  { name: 'http', what: 'node:http that echoes', protocol: 'echo' },
  { name: 'echo-express', what: 'Express 5 with express.json that echoes', protocol: 'echo' },
  {
    name: 'jmapsmith-indexed',
    what: 'jmapsmith on SQLite with `indexed: true` for the text',
    protocol: 'jmap',
  },
  {
    name: 'jmapsmith-pg',
    what: 'jmapsmith on PostgreSQL',
    protocol: 'jmap',
    postgresql: true,
  },
  {
    name: 'jmapsmith-unlimited',
    what: 'jmapsmith on SQLite with RATE_LIMITS=off',
    protocol: 'jmap',
    env: { RATE_LIMITS: 'off' },
    jobs: RATED_JOBS,
  },
  {
    name: 'jmapsmith-limited',
    what: 'jmapsmith on SQLite with rate limits that nobody meets',
    protocol: 'jmap',
    env: { RATE_LIMITS: RATES },
    jobs: RATED_JOBS,
  },
  {
    name: 'jmapsmith-pg-unlimited',
    what: 'jmapsmith on PostgreSQL with RATE_LIMITS=off',
    protocol: 'jmap',
    postgresql: true,
    env: { RATE_LIMITS: 'off' },
    jobs: RATED_JOBS,
  },
  {
    name: 'jmapsmith-pg-limited',
    what: 'jmapsmith on PostgreSQL with rate limits that nobody meets, counted in the database',
    protocol: 'jmap',
    postgresql: true,
    env: { RATE_LIMITS: RATES, RATE_LIMITS_STORE: 'database' },
    jobs: RATED_JOBS,
  },
  {
    name: 'fastify-pg',
    what: 'by hand: Fastify 5, pg',
    protocol: 'rest',
    postgresql: true,
  },
];

/** The end of the name of a server that is the other checkout's. */
const BEFORE = '-before';

/** The server, and that of the other checkout where it is jmapsmith. */
export function besideBefore(kind: Kind, root: string): readonly Kind[] {
  if (kind.protocol !== 'jmap') return [kind];
  return [kind, { ...kind, name: `${kind.name}${BEFORE}`, root }];
}

/** The name of what is measured, whichever checkout it is of. */
export function kindOf(name: string): string {
  return name.endsWith(BEFORE) ? name.slice(0, -BEFORE.length) : name;
}
