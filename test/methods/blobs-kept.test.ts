import { expect, it } from 'vitest';
import { keepBlobs } from './blobs-kept.js';

it('no octets that an object names are collected, and all others are: a few random types', async () => {
  expect(await keepBlobs(8)).toBeGreaterThan(20);
}, 60_000);
