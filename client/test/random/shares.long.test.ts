import { describe } from 'vitest';
import { describeSeeds } from './suite.js';

// The seeds of random.test.ts, where another user shares single objects and takes them back.

describe('clients that write at random what others share', () => {
  describeSeeds(300, 50, { hasShares: true });
});
