import { expect, it } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { FairSlots } from '../../src/runtime/fair-slots.js';
import { createReadSlots } from '../../src/store/sqlite/read-pool.js';

const LATE = 1e9;

/** Works that end when they are told to, with the order in which they began. */
function works(turns: FairSlots) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, deadline = LATE): Promise<void> => {
    const [account = ''] = name;
    return turns.run(account, deadline, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begun, start, end };
}

it('accounts take turns, whatever one of them has waiting', async () => {
  const { begun, start, end } = works(createReadSlots(1));
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => start(name));
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    expect(begun.at(-1)).toBe(name);
    await end(name);
  }
  await Promise.all(all);
});

it('no account has all of several places', async () => {
  const { begun, start, end } = works(createReadSlots(3));
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => start(name));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(begun).toHaveLength(3);
  await end('a2');
  expect(begun.at(-1)).toBe('a3');
  await end('a1');
  await end('a3');
  await Promise.all(all);
});

it('nobody waits beyond its deadline, nor without bound', async () => {
  const turns = createReadSlots(1);
  const { begun, start, end } = works(turns);
  const first = start('a1');
  await expect(start('b1', performance.now() + 5)).rejects.toBeInstanceOf(UnavailableError);
  const waiting = Array.from({ length: 1024 }, (_, index) => start(`c${index}`, 2000));
  await expect(start('d1')).rejects.toThrow('Too many reads are waiting.');
  const told = Promise.allSettled(waiting);
  for (let count = 0; count < 1025; count += 1) await end(begun.at(-1) ?? '');
  await Promise.all([first, told, turns.idle()]);
});

it('a work that fails gives its place on', async () => {
  const turns = createReadSlots(1);
  const failing = turns.run('a', LATE, () => Promise.reject(new Error('failed')));
  const next = turns.run('a', LATE, async () => 'next');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

it('turns away waiting and later works once it closes', async () => {
  const turns = createReadSlots(1);
  const { start, end } = works(turns);
  const first = start('a1');
  const refused = [start('a2'), start('b1')].map((work) =>
    expect(work).rejects.toBeInstanceOf(UnavailableError),
  );
  turns.close();
  await Promise.all(refused);
  await expect(start('c1')).rejects.toBeInstanceOf(UnavailableError);
  await end('a1');
  await Promise.all([first, turns.idle()]);
});
