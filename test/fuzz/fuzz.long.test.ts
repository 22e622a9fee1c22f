import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { useFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import type { RunningServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { expectConsistent } from './consistency.js';
import { type FuzzReport, fuzz } from './fuzz.js';
import { FUZZ_ENV, fuzzOptions, GADGET_WORLD } from './rig.js';
import { complaints, defects } from './watch.js';

/**
 * Random requests against a server in a process of its own, to Todo and the rich types of the
 * black-box cases (test/README.md, Random tests):
 *
 * - FUZZ_REQUESTS: their number on SQLite; PostgreSQL gets a tenth of them
 * - TEST_SEED: repeats a run; with FUZZ_FIRST and FUZZ_REQUESTS=1 one request of it
 * - FUZZ_SECONDS: ends it earlier
 * - FUZZ_REPORT: a file that gets the findings
 */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_000_000);
const FIRST = Number(process.env['FUZZ_FIRST'] ?? 0);
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? Number.POSITIVE_INFINITY);
/** A project that has the types already, generated and built, in place of the run's own. */
const PROJECT = process.env['FUZZ_PROJECT'];
const REPORT = process.env['FUZZ_REPORT'];
const HOURS = 6 * 3_600_000;

/**
 * Megabytes that the server may hold more at the end of a million requests, by the line through the
 * memory behind full collections. The garbage that V8 has not collected yet differs by 50 MB from
 * run to run.
 */
const MOST_HEAP_GROWTH = 24;
/** The same in the second half of the run. */
const MOST_RSS_GROWTH = 32;

const NAMES = ['A2', 'AR', 'AX'] as const;

function tell(title: string, report: FuzzReport): void {
  const { seed, requests, seconds, heapGrowth, rssGrowth, processorSeconds, samples } = report;
  const [first, last] = [samples[0], samples.at(-1)];
  const lines = [
    `${title}: TEST_SEED=${seed}, ${requests} requests in ${seconds.toFixed(0)} s, ` +
      `${processorSeconds?.toFixed(0)} s of the server's processor, ` +
      `${report.driverSeconds.toFixed(0)} s of the client's`,
    `heap ${first?.heapMb.toFixed(1)} to ${last?.heapMb.toFixed(1)} MB (grew by ` +
      `${heapGrowth?.toFixed(1)}), RSS ${first?.rssMb.toFixed(1)} to ${last?.rssMb.toFixed(1)} ` +
      `MB (grew by ${rssGrowth?.toFixed(1)}), descriptors ${first?.descriptors} to ` +
      `${last?.descriptors}, longest turn ` +
      `${Math.max(...samples.map(({ loopDelay }) => loopDelay)).toFixed(0)} ms`,
    ...[...report.counts].map(([kind, count]) => `${String(count).padStart(9)} ${kind}`),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  if (REPORT === undefined) return;
  mkdirSync(dirname(REPORT), { recursive: true });
  const counts = Object.fromEntries(report.counts);
  writeFileSync(`${REPORT}-${title}.json`, JSON.stringify({ ...report, counts }, null, 1));
}

function run(title: string, env: () => Promise<Record<string, string>>, requests: number): void {
  describe(title, () => {
    const { server, fixtures } = useFixtures(
      async () => ({
        project: PROJECT ?? (await sharedProject()),
        env: { ...FUZZ_ENV, ...(await env()) },
      }),
      NAMES,
    );
    let seen: RunningServer | undefined;
    afterAll(() => {
      if (seen === undefined) return;
      const lines = complaints(`${seen.stdout()}\n${seen.stderr()}`);
      process.stderr.write(`${lines.join('\n').slice(0, 20_000)}\n`);
    });

    it(
      'answers every request by the protocol, forgets it, and keeps its data whole',
      async () => {
        seen = server();
        const { seed } = Random.fromEnvironment();
        const options = fuzzOptions(server(), fixtures());
        const before = server().stderr().length;
        const world = GADGET_WORLD;
        const client = options.client.with(world.capabilities);
        const progress = (line: string) => void process.stderr.write(`${title}: ${line}\n`);
        const report = await fuzz({
          ...options,
          client,
          world,
          seed,
          requests,
          first: FIRST,
          seconds: SECONDS,
          // Enough for a line through them, however short the run.
          sampleEvery: Math.min(10_000, Math.ceil(requests / 100)),
          progress,
        });
        tell(title, report);
        expect(report.findings, `TEST_SEED=${seed}`).toEqual([]);
        expect(complaints(server().stderr().slice(before))).toEqual([]);
        expect(defects(server().stdout())).toEqual([]);
        expect(() => process.kill(server().pid, 0)).not.toThrow();
        await expectConsistent(client, world.types, options.accounts.own);
        // A short run has caches still filling.
        if (requests < 100_000) return;
        expect(report.heapGrowth).toBeLessThan(MOST_HEAP_GROWTH);
        expect(report.rssGrowth).toBeLessThan(MOST_RSS_GROWTH);
        const descriptors = report.samples.map((sample) => sample.descriptors ?? 0);
        expect(Math.max(...descriptors.slice(1)) - (descriptors[1] ?? 0)).toBeLessThan(40);
      },
      HOURS,
    );
  });
}

run('SQLite', async () => ({}), REQUESTS);

describe('PostgreSQL', () => {
  const postgresql = usePostgresql();
  run(
    'on PostgreSQL',
    async () => ({ DATABASE_URL: await postgresql().createDatabase('fuzz') }),
    Math.max(1, Math.floor(REQUESTS / 10)),
  );
});
