import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { BodyBudget } from '../../src/transports/body-budget.js';
import { ResponseBudget } from '../../src/transports/response-budget.js';
import { Slots } from '../../src/transports/slots.js';
import { Turns } from '../../src/transports/turns.js';

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

describe('turns of long requests', () => {
  it('are one of each user and few of all, in order', async () => {
    const turns = new Turns(2);
    const begun: string[] = [];
    const overs = new Map<string, () => void>();
    const take = async (user: string, name: string): Promise<void> => {
      const over = await turns.take(user, 60_000, new EventEmitter());
      begun.push(name);
      if (over !== null) overs.set(name, over);
    };
    const all = ['a1', 'a2', 'b1', 'c1', 'b2', 'c2'].map((name) => take(name.charAt(0), name));
    const expectBegun = async (...names: readonly string[]): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun).toEqual(names);
    };
    await expectBegun('a1', 'b1');
    overs.get('b1')?.();
    overs.get('b1')?.();
    await expectBegun('a1', 'b1', 'c1');
    overs.get('a1')?.();
    await expectBegun('a1', 'b1', 'c1', 'a2');
    for (const name of ['c1', 'a2']) overs.get(name)?.();
    await expectBegun('a1', 'b1', 'c1', 'a2', 'b2', 'c2');
    await Promise.all(all);
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
