import { expect, it } from 'vitest';
import { Random, withSeeds } from '../support/random.js';
import { runShared } from './shared-folders.js';
import { runTree } from './viewers-tree.js';
import { runOpen, runTrace } from './viewers-widgets.js';

/** Traces of each kind. */
const TRACES = Number(process.env['ACCESS_TRACES'] ?? 2);

it('users who see parts of a type synchronise exactly, from each old state', async () => {
  const seeds = await withSeeds(TRACES, (seed) => runTrace(new Random(seed), 5));
  expect(seeds).not.toBe('');
});

it('users who see objects by those that they follow synchronise exactly', async () => {
  const seeds = await withSeeds(TRACES, (seed) => runTree(new Random(seed), 5));
  expect(seeds).not.toBe('');
});

it('users who are given rights by `shareWith` synchronise exactly', async () => {
  const seeds = await withSeeds(TRACES, (seed) => runShared(new Random(seed), 5));
  expect(seeds).not.toBe('');
});

it('users who see all of a type, and have values of their own, synchronise exactly', async () => {
  const seeds = await withSeeds(TRACES, (seed) => runOpen(new Random(seed), 5));
  expect(seeds).not.toBe('');
});
