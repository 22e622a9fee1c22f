import { describe, expect, it } from 'vitest';
import { makeMutant } from '../../../test/support/mutants.js';
import { MUTANTS } from './mutants.js';

describe('a defect that the random test must find', () => {
  it.each(Object.values(MUTANTS))('fits the source: $rule', (mutant) => {
    expect(makeMutant(mutant).source).toContain(mutant.edited);
  });
});
