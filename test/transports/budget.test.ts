import { describe, expect, it } from 'vitest';
import { BodyBudget } from '../../src/transports/body-budget.js';
import { ResponseBudget } from '../../src/transports/response-budget.js';
import { Slots } from '../../src/transports/slots.js';

describe('octets of bodies in flight (decision 6)', () => {
  it('one user gets half; what is released can be had again', () => {
    const budget = new BodyBudget(1_000_000);
    const half = 32 * 1024 ** 2;
    expect(budget.take('u1', half)).toBe(true);
    expect(budget.take('u1', 1)).toBe(false);
    expect(budget.take('u2', half)).toBe(true);
    expect(budget.fits('u3', 1)).toBe(false);
    budget.release('u1', half);
    expect(budget.fits('u3', half)).toBe(true);
    budget.release('u2', half);
    expect(budget.inFlight).toBe(0);
  });

  it('a body of the largest size always fits an idle server', () => {
    for (const maximum of [1, 10_000_000, 400_000_000]) {
      expect(new BodyBudget(maximum).fits('u1', maximum)).toBe(true);
    }
  });
});

describe('slots', () => {
  it('are counted for each key and forgotten when free', () => {
    const slots = new Slots(2);
    expect([slots.take('a'), slots.take('a'), slots.take('a'), slots.take('b')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    slots.release('a');
    expect([slots.taken('a'), slots.take('a'), slots.taken('none')]).toEqual([1, true, 0]);
  });
});

const MB = 1_000_000;

describe('answers that wait for their readers', () => {
  it('are bounded: the oldest of the user who holds most is cut', () => {
    const budget = new ResponseBudget(100 * MB);
    const cut: string[] = [];
    const hold = (user: string, name: string, octets: number): (() => void) =>
      budget.hold(user, octets * MB, () => void cut.push(name));
    hold('u2', 'slow', 100);
    for (const name of ['a', 'b', 'c']) hold('u1', name, 100);
    expect(cut).toEqual([]);
    const release = hold('u2', 'new', 100);
    expect(cut).toEqual(['a']);
    release();
    release();
    expect(budget.octets).toBe(300 * MB);
    hold('u1', 'd', 200);
    expect(cut).toEqual(['a', 'b']);
    expect(budget.octets).toBe(400 * MB);
  });

  it('one alone is never cut, whatever its size', () => {
    const budget = new ResponseBudget(100 * MB);
    const fail = (): void => expect.unreachable();
    budget.hold('u1', 1000 * MB, fail)();
    expect(budget.octets).toBe(0);
  });
});
