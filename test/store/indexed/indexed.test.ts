import { describe, expect, it } from 'vitest';
import { successor } from '../../../src/store/sql/prefix.js';
import { postgresqlRig, sqliteRig } from '../../scale/rig.js';
import { usePostgresql } from '../../support/postgresql.js';
import { Random } from '../../support/random.js';
import { indexedCases } from './cases.js';

/** indexed.long.test.ts asks more, of larger accounts. */
const SIZES = { equal: 600, mixed: 120, long: 40, rounds: 40 };

// SQLite is served without statistics, PostgreSQL with them.
describe('SQLite', () => indexedCases(sqliteRig, { ...SIZES, analyzed: false }));

describe('PostgreSQL', () => {
  const server = usePostgresql();
  indexedCases(async () => postgresqlRig(await server().createDatabase('indexed')), {
    ...SIZES,
    analyzed: true,
  });
});

describe('the end of the texts that begin so', () => {
  it('is the next one by code points, without surrogates, and none behind the last', () => {
    expect(successor([...'ab'])).toBe('ac');
    expect(successor([...'a\ud7ff'])).toBe('a\ue000');
    expect(successor([...'a\uffff'])).toBe('a\u{10000}');
    expect(successor([...'a\u{10ffff}\u{10ffff}'])).toBe('b');
    expect(successor(['\u{10ffff}'])).toBeNull();
  });

  it('divides texts as their beginnings do', () => {
    const random = Random.fromEnvironment();
    const points = ['a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'];
    const text = () => Array.from({ length: random.integer(1, 4) }, () => random.pick(points));
    for (let round = 0; round < 2000; round += 1) {
      const prefix = text();
      const [from, end] = [Buffer.from(prefix.join('')), successor(prefix)];
      const other = text().join('');
      const octets = Buffer.from(other);
      const isWithin =
        Buffer.compare(octets, from) >= 0 &&
        (end === null || Buffer.compare(octets, Buffer.from(end)) < 0);
      expect(isWithin).toBe(other.startsWith(prefix.join('')));
    }
  });
});
