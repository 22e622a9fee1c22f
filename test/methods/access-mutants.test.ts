import { describe, expect, it } from 'vitest';
import { makeMutant } from '../support/mutants.js';
import { MUTANTS } from './access-mutants.js';

describe('a defect of access that a test must find', () => {
  it.each(Object.values(MUTANTS))('fits the source: $rule', (mutant) => {
    expect(makeMutant(mutant).source).toContain(mutant.edited);
  });
});
