import { defineConfig } from 'vitest/config';
import { type Mutant, makeMutant } from './mutants.js';
import { ROOT } from './server.js';

// One test on a source with a defect: MUTANT has the mutant (mutants.ts).

const mutant = JSON.parse(process.env['MUTANT'] ?? 'null') as Mutant | null;
if (mutant === null) throw new Error('MUTANT has no mutant.');
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
    include: [mutant.test],
    bail: 1,
    pool: 'forks',
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
