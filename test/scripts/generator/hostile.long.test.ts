import fc from 'fast-check';
import { it } from 'vitest';
import { Random } from '../../support/random.js';
import { mutated, sound, texts } from './random/texts.js';

const { seed } = Random.fromEnvironment();

it(`thousands of random texts are reported with place and code (TEST_SEED=${seed})`, () => {
  fc.assert(fc.property(texts, sound), { seed, numRuns: 5_000 });
});

it(`a thousand descriptors that were changed at random are reported (TEST_SEED=${seed})`, () => {
  fc.assert(fc.property(mutated, sound), { seed, numRuns: 1_000 });
});
