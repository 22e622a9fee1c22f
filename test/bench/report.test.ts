import { expect, test } from 'vitest';
import { JOBS } from '../../bench/jobs/jobs.js';
import { inTurn } from '../../bench/measure.js';
import { Results, ratios, spread } from '../../bench/report.js';
import { targetTable } from '../../bench/targets.js';

const MEASURED = { p50: 1, p99: 2, cpu: null, load: 0.5, octets: 100 };

function resultsOf(rates: Readonly<Record<string, readonly number[]>>, job = 'create 1'): Results {
  const results = new Results();
  for (const [server, all] of Object.entries(rates))
    for (const perSecond of all) results.add(job, server, { ...MEASURED, perSecond });
  return results;
}

test('a comparison is with the best of the others in the same round', () => {
  const results = resultsOf({ mine: [30, 10, 40], one: [10, 10, 10], other: [5, 20, 8] });
  const comparison = { job: 'create 1', server: 'mine', against: ['one', 'other'] };
  expect(ratios(results, comparison)).toEqual([3, 0.5, 4]);
  expect(spread(ratios(results, comparison))).toEqual({ min: 0.5, median: 3, max: 4 });
});

test('a round in which one of the others was not measured is not compared', () => {
  const results = resultsOf({ mine: [30, 10], one: [10, 10], other: [5] });
  expect(ratios(results, { job: 'create 1', server: 'mine', against: ['one', 'other'] })).toEqual([
    3,
  ]);
});

test('the median of an even number of rounds lies between the two in the middle', () => {
  expect(spread([4, 1, 3, 2])?.median).toBe(2.5);
  expect(spread([])).toBeNull();
});

test('targets say whether they are met; a target without a measurement is left out', () => {
  const results = resultsOf({ jmapsmith: [290], express: [100], fastify: [90] });
  const lines = targetTable(results, new Map([['jmapsmith', 231]])).split('\n');
  expect(lines.filter((line) => line.includes('create 1'))).toEqual([
    '| create 1 | jmapsmith | by hand, a commit each | 3 | 2.90 / 2.90 / 2.90 | NO |',
  ]);
  expect(lines).toContain('| peak RSS | jmapsmith | at most | 230 MB | 231 MB | NO |');
  expect(lines).toHaveLength(5);
});

test('every target but those of memory names jobs that exist', () => {
  const results = new Results();
  const servers = ['jmapsmith', 'jmapsmith-pg', 'jmapsmith-indexed', 'express', 'fastify'];
  const others = ['fastify-shared', 'express-prisma', 'fastify-pg', 'http', 'echo-express'];
  for (const { name } of JOBS)
    for (const server of [...servers, ...others])
      results.add(name, server, { ...MEASURED, perSecond: 100 });
  const lines = targetTable(results, new Map()).trim().split('\n').slice(2);
  const named = new Set(lines.map((line) => line.split(' | ')[0]?.replace('| ', '')));
  const compared = JOBS.map(({ name }) => name).filter((name) => !/^flat.* 10,000$/.test(name));
  expect([...named].sort()).toEqual(compared.sort());
});

test('another server begins in each round, and the direction alternates', () => {
  const all = ['a', 'b', 'c'];
  expect([0, 1, 2, 3].map((round) => inTurn(all, round).join(''))).toEqual([
    ...['abc', 'bac', 'cab', 'acb'],
  ]);
  expect(inTurn([], 1)).toEqual([]);
});
