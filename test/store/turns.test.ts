import { expect, test } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import { Turns } from '../../src/store/turns.js';

const soon = (): number => performance.now() + 10_000;

test('so many run at once, the others in the order they came', async () => {
  const turns = new Turns(2);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const start = (name: string): Promise<void> =>
    turns.run('', soon(), async () => {
      order.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = ['a', 'b', 'c', 'd'].map(start);
  expect(order).toEqual(['a', 'b']);
  ends[0]?.();
  await all[0];
  expect(order).toEqual(['a', 'b', 'c']);
  // One that comes late does not overtake.
  all.push(start('e'));
  ends[1]?.();
  await all[1];
  expect(order).toEqual(['a', 'b', 'c', 'd']);
  const idle = turns.idle();
  ends[2]?.();
  ends[3]?.();
  await all[3];
  ends[4]?.();
  await idle;
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a work that fails gives its turn on; one whose deadline passes is told and takes none', async () => {
  const turns = new Turns(1);
  let end: () => void = () => undefined;
  const first = turns.run('', soon(), async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    throw new Error('failed');
  });
  const late = turns.run('', performance.now() - 1, async () => 'never');
  const next = turns.run('', soon(), async () => 'next');
  await expect(late).rejects.toBeInstanceOf(UnavailableError);
  end();
  await expect(first).rejects.toThrow('failed');
  expect(await next).toBe('next');
});
