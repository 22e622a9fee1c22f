import { describe } from 'vitest';
import { describeHardSeeds } from './suite.js';

// The seeds of random.test.ts on servers that are killed, restored and migrated.

describe('clients that write at random while their server ends and starts', () => {
  describeHardSeeds(100, 5);
});
