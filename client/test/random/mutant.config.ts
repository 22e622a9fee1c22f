import { defineConfig } from 'vitest/config';
import { ROOT } from '../../../test/support/server.js';
import { MUTANTS, makeMutant } from './mutants.js';

// The random test on a client with a defect: CLIENT_MUTANT names it (mutants.ts).

const mutant = MUTANTS[process.env['CLIENT_MUTANT'] ?? ''];
if (mutant === undefined) throw new Error('CLIENT_MUTANT names no mutant.');
const { path, source } = makeMutant(mutant);
const conditions = ['jmapsmith-source'];

export default defineConfig({
  root: ROOT,
  resolve: { conditions: [...conditions, 'node'] },
  ssr: { resolve: { conditions: [...conditions, 'node'], externalConditions: conditions } },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load: (id) => (id.split('?')[0] === path ? source : null),
    },
  ],
  test: {
    globalSetup: ['test/global-setup.ts'],
    include: ['client/test/random/random.test.ts'],
    bail: 1,
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
