import { expect, it } from 'vitest';
import { keepBlobs } from './blobs-kept.js';

it('octets that an object names stay, and all others go: a few random types', async () => {
  expect(await keepBlobs(8)).toBeGreaterThan(20);
});
