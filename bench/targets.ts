import { type Comparison, type Results, ratios, type Spread, spread, threeOf } from './report.js';

/** A promise of the project: the median of a job's ratios is at least `least`. */
interface Target extends Comparison {
  readonly words: string;
  /** Null: the table shows the ratio, and there is no target. */
  readonly least: number | null;
}

/** The most resident memory, in MB, of the server process under the whole benchmark. */
const PEAK_RSS = 230;

const ECHO = 'Core/echo';
const SINGLE_WRITES = ['create 1', 'update 1'];
const BY_TEXT = ['query, 50 of 10,000 by text', 'query, 50 of 100,000 by text'];
const NEWEST = 'query, newest 50 of 100,000';
const CHANGES = ['changes, 100 of 100,000', 'queryChanges, 10 of 10,000'];
const READS = ['get 100', ...BY_TEXT, NEWEST, ...CHANGES];
const SESSION = 'a sync session';
const RARE = 'query, rare text of 100,000';
const LIMITED = 'jmapsmith-limited';
const PG_LIMITED = 'jmapsmith-pg-limited';
const FLAT = ['changes, 100 of', 'query, newest 50 of', 'get 100 of'];

/** Servers that commit each write by itself. The better of them counts. */
const BY_HAND = ['express', 'fastify'];

const TARGETS: readonly Target[] = [
  ...against('by hand, a commit each', 3, SINGLE_WRITES, BY_HAND),
  ...against('by hand, shared commits', 0.7, SINGLE_WRITES, ['fastify-shared']),
  ...against('by hand', 0.9, ['create 100'], [...BY_HAND, 'fastify-shared']),
  ...against('by hand', 0.9, ['get 100', ...CHANGES], BY_HAND),
  ...against('by hand', 0.85, BY_TEXT, BY_HAND),
  ...against('by hand', 0.75, [NEWEST], BY_HAND),
  ...against('by hand, a commit each', null, [SESSION], BY_HAND),
  ...against('by hand, shared commits', null, [SESSION], ['fastify-shared']),
  ...against('Fastify by hand', 0.55, ['get 1'], ['fastify']),
  ...against('Express by hand', 1.7, ['get 1'], ['express']),
  ...against('node:http', 0.45, [ECHO], ['http']),
  ...against('Express with express.json', 2, [ECHO], ['echo-express']),
  ...against('by hand with a scan', 20, [RARE], BY_HAND, 'jmapsmith-indexed'),
  ...against('Express + Prisma', 3, [...SINGLE_WRITES, 'create 100', 'get 1'], ['express-prisma']),
  ...against('Express + Prisma', 1.5, [...READS, SESSION], ['express-prisma']),
  ...against('Express + Prisma', 1.5, [RARE], ['express-prisma'], 'jmapsmith-indexed'),
  ...against('Fastify + pg', 1.8, ['create 1'], ['fastify-pg'], 'jmapsmith-pg'),
  ...against(
    'Fastify + pg',
    0.85,
    ['update 1', 'create 100', 'get 1', ...READS, SESSION, RARE],
    ['fastify-pg'],
    'jmapsmith-pg',
  ),
  ...against('itself without limits', 0.97, ['get 1'], ['jmapsmith-unlimited'], LIMITED),
  ...against('itself without limits', 0.97, ['get 1'], ['jmapsmith-pg-unlimited'], PG_LIMITED),
  ...FLAT.map((what) => ({
    job: `flat: ${what} 1,000,000`,
    server: 'jmapsmith',
    against: ['jmapsmith'],
    ofJob: `flat: ${what} 10,000`,
    words: 'itself at 10,000',
    least: 0.8,
  })),
];

function against(
  words: string,
  least: number | null,
  jobs: readonly string[],
  others: readonly string[],
  server = 'jmapsmith',
): readonly Target[] {
  return jobs.map((job) => ({ job, server, against: others, words, least }));
}

export interface Compared {
  readonly job: string;
  readonly server: string;
  readonly against: string;
  readonly least: number | null;
  readonly ratio: Spread;
}

/** Compares each target's job with its target, where the run measured it. */
export function compared(results: Results): readonly Compared[] {
  return TARGETS.flatMap((target) => {
    const ratio = spread(ratios(results, target));
    const { job, server, words, least } = target;
    return ratio === null ? [] : [{ job, server, against: words, least, ratio }];
  });
}

export function targetTable(results: Results, memory: ReadonlyMap<string, number | null>): string {
  const lines = [
    '| job | of | against | at least | ratio: min / median / max | met |',
    '|---|---|---|---|---|---|',
  ];
  for (const { job, server, against, least, ratio } of compared(results)) {
    const met = least === null ? '' : ratio.median >= least ? 'yes' : 'NO';
    lines.push(
      `| ${job} | ${server} | ${against} | ${least ?? ''} | ${threeOf(ratio, 2)} | ${met} |`,
    );
  }
  for (const server of ['jmapsmith', 'jmapsmith-indexed', 'jmapsmith-pg']) {
    const peak = memory.get(server) ?? null;
    if (peak === null) continue;
    const met = peak <= PEAK_RSS ? 'yes' : 'NO';
    lines.push(`| peak RSS | ${server} | at most | ${PEAK_RSS} MB | ${peak} MB | ${met} |`);
  }
  return `${lines.join('\n')}\n`;
}
