import { describe, expect, it } from 'vitest';
import { makeCompiler, runMutant } from '../../../test/support/mutants.js';
import { sharedProject } from '../../../test/support/shared-project.js';
import { MUTANTS } from './mutants.js';

/** Seeds within which a defect is found. */
const SEEDS = 400;

const compile = makeCompiler('client/tsconfig.json');

describe('the random test', () => {
  it.each(Object.values(MUTANTS))('has a defect that compiles: $rule', (mutant) => {
    expect(compile(mutant)).toEqual([]);
  });

  it.each(Object.entries(MUTANTS))('finds a client without the rule %s', async (_, mutant) => {
    await sharedProject();
    const { code, output } = await runMutant(mutant, { CLIENT_SEEDS: String(SEEDS) });
    expect(code, output).toBe(1);
    expect(output).toContain('CLIENT_SEED=');
  });
});
