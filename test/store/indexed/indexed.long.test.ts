import { describe } from 'vitest';
import { postgresqlRig, sqliteRig } from '../../scale/rig.js';
import { usePostgresql } from '../../support/postgresql.js';
import { indexedCases } from './cases.js';

/**
 * Above 5,000 that are alike an index of the filter leads no more
 * (src/store/sql/query-statements.ts, FEW).
 */
const SIZES = { equal: 5052, mixed: 1500, long: 200, rounds: 400 };

for (const analyzed of [false, true]) {
  const which = analyzed ? 'with statistics' : 'without statistics';
  describe(`SQLite ${which}`, () => indexedCases(sqliteRig, { ...SIZES, analyzed }));
}

describe('PostgreSQL', () => {
  const server = usePostgresql();
  indexedCases(async () => postgresqlRig(await server().createDatabase('indexed')), {
    ...SIZES,
    analyzed: true,
  });
});
