import { expect, it } from 'vitest';
import { MAX_RIGHTS } from '../../src/capability/share-bounds.js';
import { Problems } from '../../src/methods/issues.js';
import { canonicalShares } from '../../src/methods/set/share-values.js';
import { property } from './gadget.js';

const shareWith = property('shareWith', 'json', { role: 'shareWith', nullable: true });
const rights = Array.from({ length: 50 }, (_, index) => `may${index}`);

function problemsOf(principals: number) {
  const given = Object.fromEntries(rights.map((right) => [right, true]));
  const ids = Array.from({ length: principals }, (_, index) => `u${index}`);
  const value = Object.fromEntries(ids.map((id) => [id, given]));
  const problems = new Problems();
  canonicalShares(shareWith, value, { share: { rights }, problems });
  return problems;
}

it('an object gives so many rights at most', () => {
  const most = MAX_RIGHTS / rights.length;
  expect(problemsOf(most).any).toBe(false);
  expect(problemsOf(most + 1).any).toBe(true);
});
