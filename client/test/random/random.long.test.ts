import { describe } from 'vitest';
import { describeSeeds } from './suite.js';

// The seeds of random.test.ts, as many as it takes to meet what is rare.

describe('clients that write at random, for hours', () => {
  describeSeeds(10_000, 100);
});
