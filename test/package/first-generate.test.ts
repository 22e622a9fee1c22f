import { expect, it } from 'vitest';
import { exitCodes, WRONG } from './first-generate.js';

// A second thread begins to load Prisma's engine while the descriptors are read, and has to be
// ended.
it.each(Object.entries(WRONG))('generate exits with 2 for %s, each time', async (name, files) => {
  // A hook file takes TypeScript's parser, which loads for long.
  const runs = name.includes('hook') ? 1 : 4;
  expect(new Set(await exitCodes('package', files, runs))).toEqual(new Set([2]));
});
