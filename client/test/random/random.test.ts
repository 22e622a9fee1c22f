import { describe } from 'vitest';
import { describeSeeds } from './suite.js';

// Devices of one user write at random through a network that fails, while others write too:
// README.md tells how, and what must hold.

describe('clients that write at random', () => {
  describeSeeds(5, 1, { mayFail: false });
});
