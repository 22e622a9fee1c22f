import { describe, expect, it } from 'vitest';
import { LongStatements, SliceError } from '../../src/store/sqlite/scans/slice.js';

const MOMENT = 1;
const TEXT = 'SELECT 1';

function statements() {
  return new LongStatements(100, MOMENT);
}

const admits = (long: LongStatements, account = 'a', text = TEXT): boolean => {
  try {
    long.of(account).admit(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SliceError);
    return false;
  }
};

describe('What is known of statements', () => {
  it('keeps one that took more than a moment twice from the thread of all requests, in its account', () => {
    const long = statements();
    long.of('a').took(TEXT, MOMENT + 0.1);
    long.of('a').took(TEXT, MOMENT);
    long.of('a').took(TEXT, MOMENT + 0.1);
    long.of('b').took(TEXT, MOMENT + 0.1);
    expect(admits(long)).toBe(true);
    long.of('a').took(TEXT, MOMENT + 0.1);
    expect(admits(long)).toBe(false);
    expect(admits(long, 'b')).toBe(true);
    expect(admits(long, 'a', 'SELECT 2')).toBe(true);
  });

  it('lets it come back when it was done in a moment elsewhere', () => {
    const long = statements();
    long.of('a').took(TEXT, MOMENT + 0.1);
    long.of('a').took(TEXT, MOMENT + 0.1);
    long.elsewhere('a', TEXT, MOMENT);
    expect(admits(long)).toBe(false);
    long.elsewhere('a', TEXT, MOMENT / 2);
    expect(admits(long)).toBe(true);
  });

  it('lets one that was stopped not come back: other values may take as long again', () => {
    const long = statements();
    long.of('a').exhausted(TEXT);
    long.elsewhere('a', TEXT, 0);
    expect(admits(long)).toBe(false);
    const moved = statements();
    moved.of('a').took(TEXT, MOMENT + 0.1);
    moved.of('a').took(TEXT, MOMENT + 0.1);
    moved.of('a').exhausted(TEXT);
    moved.elsewhere('a', TEXT, 0);
    expect(admits(moved)).toBe(false);
  });

  it('keeps one that is long to prepare away, and remembers nothing of it', () => {
    const long = statements();
    const text = 'x'.repeat(101);
    expect(admits(long, 'a', text)).toBe(false);
    long.of('a').exhausted(text);
    expect(admits(long, 'a', text)).toBe(false);
  });
});
