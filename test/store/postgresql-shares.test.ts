import { describe, expect, it } from 'vitest';
import { sharesOf } from '../../src/store/postgresql/connections.js';

describe('the shares of a pool', () => {
  it('are those that the documents name, of 16 connections', () => {
    expect(sharesOf(16)).toEqual({ all: 16, each: 12, long: 12, longEach: 8 });
  });

  it('leave something to short works and other accounts, however few connections exist', () => {
    expect(sharesOf(1)).toEqual({ all: 1, each: 1, long: 1, longEach: 1 });
    for (let size = 2; size <= 64; size += 1) {
      const { all, each, long, longEach } = sharesOf(size);
      expect(all).toBe(size);
      expect(long).toBeLessThan(all);
      expect(longEach).toBeLessThan(each);
      expect(longEach).toBeLessThanOrEqual(long);
      expect(Math.min(long, longEach)).toBeGreaterThanOrEqual(1);
      if (size > 2) expect(each).toBeLessThan(all);
    }
  });
});
