import { describe, expect, it } from 'vitest';
import {
  endOfSlice,
  LongStatements,
  SliceError,
  stopwatch,
} from '../../src/store/sqlite/scans/slice.js';

const MOMENT = 1;
const SLICE = 5;
const TEXT = 'SELECT 1 WHERE jmap_tick()';

function statements() {
  return new LongStatements(100, MOMENT, SLICE);
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

  it('lets one that never asks for the time, which is bounded otherwise, have a slice', () => {
    const long = statements();
    const text = 'SELECT 1';
    const took = (time: number) => {
      long.of('a').took(text, time);
      long.of('a').took(text, time);
    };
    took(SLICE);
    expect(admits(long, 'a', text)).toBe(true);
    took(SLICE + 0.1);
    expect(admits(long, 'a', text)).toBe(false);
    long.elsewhere('a', text, SLICE / 2);
    expect(admits(long, 'a', text)).toBe(true);
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

/** Keeps the processor for so many ms. */
function work(ms: number): void {
  const time = stopwatch(true);
  while (time() < ms);
}

/** Lets others have it. */
function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('How long a statement has had the thread', () => {
  const late = (): Error => new Error('late');

  it('is no longer than the processors had to do for it, where it is timed exactly', () => {
    const [exact, byClock] = [stopwatch(true), stopwatch(false)];
    wait(100);
    expect(byClock()).toBeGreaterThan(90);
    expect(exact()).toBeLessThan(50);
  });

  it('is timed so once it was long by the clock', () => {
    const long = statements();
    expect(long.of('a').admit(TEXT)).toBe(false);
    long.of('a').took(TEXT, MOMENT + 0.1);
    expect(long.of('a').admit(TEXT)).toBe(true);
    expect(long.of('b').admit(TEXT)).toBe(false);
    long.of('a').took(TEXT, MOMENT);
    expect(long.of('a').admit(TEXT)).toBe(false);
  });

  it('ends its slice when it has had it, not while others have the processor', () => {
    const end = endOfSlice(20, Number.POSITIVE_INFINITY, late);
    expect(end()).toBeGreaterThan(performance.now());
    wait(60);
    expect(end()).toBeGreaterThan(performance.now());
    work(25);
    expect(end()).toBeInstanceOf(SliceError);
  });

  it('D6: ends at the deadline all the same, which is no reason to begin anew', () => {
    const deadline = performance.now() + 20;
    const end = endOfSlice(1000, deadline, late);
    expect(end()).toBe(deadline);
    wait(40);
    expect(end()).toEqual(new Error('late'));
  });
});
