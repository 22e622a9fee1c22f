import { configDefaults, defineConfig } from 'vitest/config';
import { UNIT_TESTS } from './test/unit-tests.js';

// `jmapsmith/capability` is this project's source in tests, as it is for the compiler (tsconfig.json).
const conditions = ['jmapsmith-source'];
const fast = ['test/**/*.test.ts', '{client,conform}/test/**/*.test.ts'];
const long = ['test/**/*.long.test.ts', '{client,conform}/test/**/*.long.test.ts'];

// Limits tell that something hangs: a machine with twenty busy processes meets them, too.
const shared = {
  environment: 'node' as const,
  pool: 'forks' as const,
  globalSetup: ['test/global-setup.ts'],
  testTimeout: 120_000,
  hookTimeout: 300_000,
  restoreMocks: true,
};

export default defineConfig({
  resolve: { conditions: [...conditions, 'node'] },
  ssr: {
    resolve: { conditions: [...conditions, 'node'], externalConditions: conditions },
  },
  test: {
    // Many files wait for servers, timers and commands: one more than the cores of a small machine.
    maxWorkers: 3,
    // A checkout may have no test of the long tier; one without fast tests is broken.
    passWithNoTests: process.argv.includes('long'),
    projects: [
      {
        // Of the fast tier, the tests of pure code: they need no build, no database and no server.
        extends: true,
        test: { ...shared, name: 'unit', globalSetup: [], isolate: false, include: UNIT_TESTS },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'fast',
          // Files share a worker's modules: loading them anew for each took a sixth of the whole time. So no
          // vi.mock here, and what a test replaces (a spy, a variable of the environment) it puts back.
          isolate: false,
          include: fast,
          exclude: [...configDefaults.exclude, ...long],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'long',
          include: long,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
