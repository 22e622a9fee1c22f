import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { beforeTable } from '../../bench/before.js';
import { besideBefore, KINDS, kindOf } from '../../bench/kinds.js';
import { readOptions } from '../../bench/options.js';
import { Results } from '../../bench/report.js';
import { ROOT } from '../support/server.js';

const MEASURED = { p50: 1, p99: 2, load: 0.5, octets: 100 };

test('each jmapsmith is measured beside that of the other checkout, the others alone', () => {
  const options = readOptions(['--before', ROOT, '--servers', 'jmapsmith,express,jmapsmith-pg']);
  if (typeof options === 'string') throw new Error(options);
  expect(options.kinds.map(({ name, root }) => [name, root])).toEqual([
    ['jmapsmith', undefined],
    ['jmapsmith-before', options.before],
    ['express', undefined],
    ['jmapsmith-pg', undefined],
    ['jmapsmith-pg-before', options.before],
  ]);
  for (const kind of KINDS)
    for (const { name } of besideBefore(kind, ROOT)) expect(kindOf(name)).toBe(kind.name);
});

test('a folder that is no checkout is refused, with what it lacks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(() => readOptions(['--before', folder])).toThrow(
    `--before=${JSON.stringify(folder)}: there is no scripts/build.mjs in it`,
  );
});

test('the comparison shows rates and processor time of each job, round by round', () => {
  const results = new Results();
  const add = (server: string, perSecond: number, cpu: number | null): void =>
    results.add('get 1', server, { ...MEASURED, perSecond, cpu });
  for (const [is, was] of [
    [200, 100],
    [90, 100],
    [300, 200],
  ] as const) {
    add('jmapsmith', is, 50);
    add('jmapsmith-before', was, 40);
  }
  add('express', 10, null);
  expect(beforeTable(results).split('\n').slice(2)).toEqual([
    '| get 1 | jmapsmith | 0.90 / 1.50 / 2.00 | 1.25 / 1.25 / 1.25 |',
    '',
  ]);
  expect(beforeTable(new Results())).toBe('');
});
