import { describe, expect, it } from 'vitest';
import { MemoryCounter } from '../../../src/runtime/rates/memory-counter.js';
import { RateSet } from '../../../src/runtime/rates/rate-limits.js';
import { parseRateRules, RateFault } from '../../../src/runtime/rates/rate-rules.js';

function openSet(text: string): { readonly set: RateSet; readonly refused: readonly string[] } {
  const rules = parseRateRules(text);
  if (rules instanceof RateFault) throw new Error(rules.legal);
  const refused: string[] = [];
  const set = new RateSet({
    rules,
    openCounter: (rule) => new MemoryCounter({ rule }),
    refused: (rule) => void refused.push(rule),
  });
  return { set, refused };
}

describe('a set of rules', () => {
  it('grants what all of them grant, and names the one that refuses', async () => {
    const { set, refused } = openSet('user:3/1h,user:2/1m');
    expect(set.policy).toBe('"user";q=3;w=3600, "user-60s";q=2;w=60');
    const first = await set.take('u');
    expect(first).toMatchObject({ refusing: null, retryAfter: 0 });
    expect(first.reading).toBe('"user";r=2;t=3600, "user-60s";r=1;t=60');
    expect((await set.take('u')).refusing).toBeNull();
    const third = await set.take('u');
    expect(third.refusing?.name).toBe('user-60s');
    expect(third.retryAfter).toBe(60);
    expect(third.reading).toContain('"user-60s";r=0;t=60');
    expect(refused).toEqual(['user-60s']);
  });

  it('a request that one rule refuses counts by no other', async () => {
    const { set } = openSet('user:2/1m,user:3/1h');
    for (let at = 0; at < 50; at += 1) await set.take('u');
    // Two of three: a count of the refused ones would leave none.
    expect((await set.take('u')).reading).toContain('"user-3600s";r=0;t=3600');
    const { set: other } = openSet('user:1/1m,user:3/1h');
    const kept = await other.take('u');
    for (let at = 0; at < 50; at += 1) await other.take('u');
    other.give(kept);
    expect(await other.take('u')).toMatchObject({ refusing: null });
  });
});
