import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../support/random.js';
import { createProject } from './project.js';
import { projects } from './random/descriptors.js';
import { filesOf, roundTrips } from './random/round-trip.js';

const { seed } = Random.fromEnvironment();
/** A slow machine takes half a minute to generate a project and to start its server twice, ms. */
const PATIENCE = 180_000;

it(
  `random descriptors generate, and serve created objects (TEST_SEED=${seed})`,
  async () => {
    const size = { files: 1, types: 2, properties: 5 };
    for (const project of fc.sample(projects(size), { seed, numRuns: 1 })) {
      const { root, generate } = await createProject(filesOf(project));
      const { code, stderr } = await generate();
      expect(code, stderr).toBe(0);
      await roundTrips(root, project, seed);
    }
  },
  PATIENCE,
);
