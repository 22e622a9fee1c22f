import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { makeRig } from './sender-rig.js';

afterEach(() => vi.useRealTimers());

it('of the pushes that one commit makes due, 50 go at once and the others are spread', async () => {
  const rig = await makeRig();
  for (let n = 0; n < 80; n += 1) rig.subscribe(`s${n}`);
  const spread = 60_000;
  const pauses = { throttle: 40, slowThrottle: 80, spread, notes: 10, retry: 30 };
  const sender = await rig.start({ pauses });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const waitFor = async (count: number): Promise<void> => {
    while (rig.received.length < count || sender.counts().running > 0) await setImmediate();
  };
  rig.commit('Todo');
  await waitFor(50);
  vi.advanceTimersByTime(0);
  await waitFor(50);
  expect(rig.received).toHaveLength(50);
  vi.advanceTimersByTime(spread / 2);
  await waitFor(51);
  vi.advanceTimersByTime(spread / 2);
  await waitFor(80);
  expect(new Set(rig.received.map(({ path }) => path)).size).toBe(80);
});
