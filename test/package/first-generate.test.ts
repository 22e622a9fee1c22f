import { expect, it } from 'vitest';
import { exitCodes, WRONG } from './first-generate.js';

// A second thread begins to load Prisma's engine while the descriptors are read, and has to be
// ended. Many times: first-generate.long.test.ts.
it.each(Object.entries(WRONG))('generate exits with 2 for %s', async (_, files) => {
  expect(await exitCodes('package', files, 1)).toEqual([2]);
});
