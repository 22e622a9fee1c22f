import { describe, expect, it } from 'vitest';
import { HashSlots } from '../../src/methods/set/hash-slots.js';
import { UnavailableError } from '../../src/protocol/errors.js';

const soon = (): number => performance.now() + 60_000;

/** Begins so many works of each user; `end` ends the one that began first. */
function running(turns: HashSlots, works: Readonly<Record<string, number>>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const all: Promise<void>[] = [];
  for (const [user, count] of Object.entries(works)) {
    for (let n = 0; n < count; n += 1) {
      const run = turns.run(user, soon(), () => {
        begun.push(user);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
      all.push(run);
    }
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await settled();
  };
  /** Ends whatever runs or waits. */
  const finish = async (): Promise<void> => {
    while (ends.length > 0) await end();
    await Promise.all(all);
  };
  return { begun, end, settled, finish };
}

describe('turns of hashes', () => {
  it('leave half of the threads to others, and one user half of those', async () => {
    const turns = new HashSlots(8);
    const { begun, settled, finish } = running(turns, { a: 10, b: 10, c: 10 });
    await settled();
    expect(turns.maximum).toBe(4);
    expect(begun).toEqual(['a', 'a', 'b', 'b']);
    await finish();
    expect(begun).toHaveLength(30);
  });

  it('go to whoever has waited longest of those who may have one', async () => {
    const { begun, end, settled, finish } = running(new HashSlots(4), { a: 3, b: 2 });
    await settled();
    expect(begun).toEqual(['a', 'b']);
    for (let n = 0; n < 3; n += 1) await end();
    expect(begun).toEqual(['a', 'b', 'a', 'b', 'a']);
    await finish();
  });

  it('are one at least, however few threads there are', () => {
    const { maximum, maximumOfUser } = new HashSlots(1);
    expect({ maximum, maximumOfUser }).toEqual({ maximum: 1, maximumOfUser: 1 });
  });

  it('are not waited for beyond the deadline, and are given back by works that fail', async () => {
    const turns = new HashSlots(2);
    let fail = (): void => undefined;
    const failing = turns.run('a', soon(), () => {
      return new Promise<void>((_, reject) => {
        fail = () => reject(new Error('no'));
      });
    });
    const late = turns.run('b', performance.now() + 5, async () => 1);
    await expect(late).rejects.toBeInstanceOf(UnavailableError);
    fail();
    await expect(failing).rejects.toThrow('no');
    expect(await turns.run('b', soon(), async () => 2)).toBe(2);
  });
});
