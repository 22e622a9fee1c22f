import { describe } from 'vitest';
import { rightsSuite } from './suite.js';

describe('every method by every right, on SQLite', () => {
  rightsSuite(async () => null);
});
