import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { openLongRequests } from '../../src/http/shared.js';
import {
  Allowance,
  AnswerBudget,
  type AnswerRoom,
  bodyAllowance,
  type Reader,
} from '../../src/runtime/budgets.js';

describe('octets of bodies in flight', () => {
  it('one user gets half; released octets can be had again', () => {
    const budget = new Allowance(bodyAllowance(1_000_000));
    const half = 32 * 1024 ** 2;
    expect(budget.take('u1', half)).toBe(true);
    expect(budget.take('u1', 1)).toBe(false);
    expect(budget.take('u2', half)).toBe(true);
    expect(budget.fits('u3', 1)).toBe(false);
    budget.release('u1', half);
    expect(budget.fits('u3', half)).toBe(true);
    budget.release('u2', half);
    for (const user of ['u3', 'u4']) expect(budget.take(user, half)).toBe(true);
  });

  it('a body of the largest size always fits an idle server', () => {
    for (const maximum of [1, 10_000_000, 400_000_000]) {
      expect(new Allowance(bodyAllowance(maximum)).fits('u1', maximum)).toBe(true);
    }
  });
});

describe('slots', () => {
  it('are counted for each key and forgotten when free', () => {
    const slots = new Allowance({ share: 2 });
    expect([slots.take('a'), slots.take('a'), slots.take('a'), slots.take('b')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    slots.release('a');
    expect([slots.take('a'), slots.take('a'), slots.take('none')]).toEqual([true, false, true]);
  });

  it('of keys that hold nothing are forgotten beyond some, of all others kept', () => {
    const set = vi.spyOn(Map.prototype, 'set');
    const slots = new Allowance({ share: 1 });
    slots.take('first');
    const [taken] = set.mock.contexts as Map<string, number>[];
    set.mockRestore();
    const names = Array.from({ length: 5000 }, (_, n) => `u${n}`);
    for (const name of names) slots.take(name);
    expect([taken?.size, slots.total]).toEqual([5001, 5001]);
    for (const name of names) slots.release(name);
    for (const name of names) if (slots.take(`v${name}`)) slots.release(`v${name}`);
    expect(taken?.size).toBeLessThan(1100);
    expect([slots.total, slots.take('first'), slots.take('u1')]).toEqual([1, false, true]);
  });
});

describe('turns of long requests', () => {
  it('are given to one request of each user and to few of all, in order', async () => {
    const turns = openLongRequests(2);
    const begun: string[] = [];
    const overs = new Map<string, () => void>();
    const take = async (user: string, name: string): Promise<void> => {
      const over = await turns.take(user, performance.now() + 60_000, new EventEmitter());
      begun.push(name);
      overs.set(name, over);
    };
    const all = ['a1', 'a2', 'b1', 'c1', 'b2', 'c2'].map((name) => take(name.charAt(0), name));
    const expectBegun = async (...names: readonly string[]): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun).toEqual(names);
    };
    await expectBegun('a1', 'b1');
    overs.get('b1')?.();
    await expectBegun('a1', 'b1', 'c1');
    overs.get('a1')?.();
    await expectBegun('a1', 'b1', 'c1', 'a2');
    for (const name of ['c1', 'a2']) overs.get(name)?.();
    await expectBegun('a1', 'b1', 'c1', 'a2', 'b2', 'c2');
    await Promise.all(all);
  });
});

const STALLED = 5000;

describe('large answers', () => {
  /** A reader that took something so many ms ago. */
  function reader(name: string, cut: string[], ago = 0): Reader {
    return { takenAt: performance.now() - ago, cut: () => void cut.push(name) };
  }

  it('one user gets half; returned octets can be had again', () => {
    const budget = new AnswerBudget(100, { stall: STALLED, hold: 60_000 });
    const [one, other] = [budget.begin('u1'), budget.begin('u1')];
    expect([one.take(30), one.take(20), other.take(1)]).toEqual([true, true, false]);
    expect(budget.begin('u2').take(50)).toBe(true);
    expect(budget.begin('u3').take(1)).toBe(false);
    one.giveBack(20);
    expect([other.take(21), other.take(20)]).toEqual([false, true]);
    one.end();
    one.end();
    const more = budget.begin('u3');
    expect([more.take(31), one.take(1), other.take(30), more.take(1)]).toEqual([
      ...[false, false],
      ...[true, false],
    ]);
  });

  it('readers that take nothing make room for others, the oldest answer first', () => {
    const budget = new AnswerBudget(100, { stall: STALLED, hold: 60_000 });
    const cut: string[] = [];
    const begin = (user: string, octets: number): AnswerRoom => {
      const answer = budget.begin(user);
      expect(answer.take(octets)).toBe(true);
      return answer;
    };
    begin('u1', 30).writeTo(reader('slow', cut, STALLED), 31);
    begin('u2', 30).writeTo(reader('fast', cut, STALLED / 2), 30);
    begin('u3', 30).writeTo(reader('slower', cut, STALLED), 30);
    expect([budget.begin('u4').take(9), cut]).toEqual([true, []]);
    expect([budget.begin('u4').take(31), cut]).toEqual([true, ['slow']]);
    expect([budget.begin('u5').take(50), cut]).toEqual([false, ['slow', 'slower']]);
    const last = budget.begin('u5');
    expect([last.take(31), last.take(30), cut]).toEqual([false, true, ['slow', 'slower']]);
  });

  it('a reader that takes its answer too slowly makes room, too', () => {
    const budget = new AnswerBudget(100, { stall: STALLED, hold: 0 });
    const cut: string[] = [];
    const answer = budget.begin('u1');
    answer.take(50);
    expect([budget.begin('u2').take(50), budget.begin('u3').take(1)]).toEqual([true, false]);
    answer.writeTo(reader('slow', cut), 50);
    expect([budget.begin('u3').take(1), cut]).toEqual([true, ['slow']]);
  });

  it('a user over its share costs no other user an answer', () => {
    const budget = new AnswerBudget(100, { stall: STALLED, hold: 60_000 });
    const cut: string[] = [];
    const [one, other] = [budget.begin('u1'), budget.begin('u2')];
    one.take(40);
    one.writeTo(reader('own', cut), 40);
    other.take(40);
    other.writeTo(reader('other', cut, STALLED), 40);
    expect([budget.begin('u1').take(20), cut]).toEqual([false, []]);
    one.writeTo(reader('own', cut, STALLED), 40);
    expect([budget.begin('u1').take(20), cut]).toEqual([true, ['own']]);
  });
});
