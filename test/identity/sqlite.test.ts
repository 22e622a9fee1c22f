import { describe } from 'vitest';
import { identitySuite } from './suite.js';

describe('Identity on SQLite', () => {
  identitySuite(async () => ({ database: null, processes: 1 }));
});
