import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../../../conform/src/random.js';
import { usePostgresql } from '../../../test/support/postgresql.js';
import { Ground, type GroundOptions } from './ground.js';
import { drawProfile, type Kind } from './profile.js';
import { runSeed } from './run.js';
import { loadSchema, makeProject, makeRelease, makeSharing, type RandomSchema } from './schema.js';

const STEPS = 50;

/** A test goes on behind a seed that fails, up to so many. */
const MOST_FAILURES = 3;

/**
 * Runs seeds, so many in each test, from `CLIENT_SEED` on or from any.
 */
export function describeSeeds(usual: number, most: number, kind: Kind = {}): void {
  const seeds = readSeeds(usual);
  const makeDatabase = findDatabases();
  let ground: Ground;
  let schema: RandomSchema;
  beforeAll(async () => {
    const project = await (kind.hasShares ? makeSharing() : makeProject());
    schema = await loadSchema(project);
    ground = await Ground.open({ project, env: {}, makeDatabase });
  });
  afterAll(() => ground.close());

  defineSeeds({ ...seeds, most }, (seed) => runSeed({ seed, ground, schema, steps: STEPS, kind }));
}

/** Runs seeds that have a server each, which ends, goes back and gets a new release. */
export function describeHardSeeds(usual: number, most: number): void {
  const { count, first } = readSeeds(usual);
  const makeDatabase = findDatabases();
  let release: { readonly old: string; readonly next: string };
  let schemas: { readonly old: RandomSchema; readonly next: RandomSchema };
  beforeAll(async () => {
    const old = await makeProject();
    const next = await makeRelease();
    release = { old, next };
    schemas = { old: await loadSchema(old), next: await loadSchema(next) };
  });

  defineSeeds({ count, first, most }, async (seed) => {
    const keepsFew = seed % 4 === 0 && drawProfile(new Random(seed), STEPS).hasOnceKeys;
    const env: GroundOptions['env'] = keepsFew ? { CHANGES_KEEP: '1s' } : {};
    const ground = await Ground.open({ project: release.old, env, makeDatabase });
    try {
      const next = { root: release.next, schema: schemas.next };
      await runSeed({ seed, ground, schema: schemas.old, steps: STEPS, next });
    } finally {
      await ground.close();
    }
  });
}

/** `CLIENT_DB=postgresql` has servers on PostgreSQL. */
function findDatabases(): GroundOptions['makeDatabase'] {
  if (process.env['CLIENT_DB'] !== 'postgresql') return undefined;
  const postgresql = usePostgresql();
  return () => postgresql().createDatabase('random');
}

function readSeeds(usual: number): { readonly count: number; readonly first: number } {
  const count = Number(process.env['CLIENT_SEEDS'] ?? usual);
  return { count, first: Number(process.env['CLIENT_SEED'] ?? Date.now() % 1_000_000) };
}

interface Seeds {
  readonly count: number;
  readonly first: number;
  /** How many a test runs. */
  readonly most: number;
}

/** Runs each seed as often as `CLIENT_TIMES` says. */
function defineSeeds({ count, first, most }: Seeds, run: (seed: number) => Promise<void>): void {
  const times = Number(process.env['CLIENT_TIMES'] ?? 1);
  for (let from = first; from < first + count; from += most) {
    const end = Math.min(from + most, first + count);
    const name = end - from === 1 ? `seed ${from}` : `seeds ${from} to ${end - 1}`;
    it(`end as the server is: ${name}`, async () => {
      const failures: string[] = [];
      for (let count = 0; count < (end - from) * times; count += 1) {
        const seed = from + Math.floor(count / times);
        await run(seed).catch((error: Error) => failures.push(error.message));
        if (failures.length === MOST_FAILURES) break;
      }
      expect(failures.join('\n\n')).toBe('');
    });
  }
}
