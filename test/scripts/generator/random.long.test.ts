import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { Random } from '../../support/random.js';
import { compile, createProject, REPOSITORY } from './project.js';
import { projects } from './random/descriptors.js';
import { filesOf, roundTrips } from './random/round-trip.js';

const { seed } = Random.fromEnvironment();
const RUNS = 8;
/**
 * Each project is generated, compiled and started several times: a slow machine takes a minute and
 * more, ms.
 */
const PATIENCE = 1_800_000;
const postgresql = usePostgresql();

const CONFIG = {
  extends: join(REPOSITORY, 'tsconfig.json'),
  compilerOptions: { rootDir: '/', typeRoots: [join(REPOSITORY, 'node_modules/@types')] },
  include: ['generated'],
};

it(
  `random descriptors generate, compile and serve on both databases (TEST_SEED=${seed})`,
  async () => {
    const size = { files: 4, types: 6, properties: 14 };
    for (const [index, project] of fc.sample(projects(size), { seed, numRuns: RUNS }).entries()) {
      const { root, generate, write } = await createProject(filesOf(project));
      const what = `project ${index} of TEST_SEED=${seed}: ${root}`;
      const { code, stderr } = await generate();
      expect(code, `${what}\n${stderr}`).toBe(0);
      await write('tsconfig.json', JSON.stringify(CONFIG));
      expect(await compile(root), what).toBe('');
      await roundTrips(root, project, seed + index);
      const url = await postgresql().createDatabase(`random${index}`);
      await roundTrips(root, project, seed + index, url);
      // A project generated twice is the same.
      expect(await generate({ check: true }), what).toMatchObject({ code: 0 });
    }
  },
  PATIENCE,
);
