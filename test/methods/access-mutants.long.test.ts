import { describe, expect, it } from 'vitest';
import { makeCompiler, runMutant } from '../support/mutants.js';
import { MUTANTS } from './access-mutants.js';

/** Traces of each kind within which a defect is found. */
const TRACES = 60;

const compile = makeCompiler('tsconfig.json');

describe('the tests of access', () => {
  it.each(Object.values(MUTANTS))('have a defect that compiles: $rule', (mutant) => {
    expect(compile(mutant)).toEqual([]);
  });

  it.each(Object.entries(MUTANTS))('find a server without the rule %s', async (_, mutant) => {
    const { code, output } = await runMutant(mutant, { ACCESS_TRACES: String(TRACES) });
    expect(code, output).toBe(1);
    expect(output).toMatch(/AssertionError|TEST_SEED=/);
  });
});
