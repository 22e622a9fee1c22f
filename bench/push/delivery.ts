import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from '../quantile.js';
import { run } from '../start/processes.js';
import { onPushScene, type PushScene } from './push-scene.js';
import { memoryOf, processorOf } from './streams.js';

const ROUNDS = 5;
/** The server pushes to a subscription once a second at most. */
const THROTTLE = 1200;
/** The server has so many to one host at most (src/push/webpush/host-lanes.ts). */
const CONNECTIONS = 8;

const SINGLE_COMMITS = 40;
const HANGING = 200;

type Row = readonly [what: string, figure: string, target: string];

const GOOD = '127.0.0.1';

/** Measures encrypted pushes to a push service of this process, of one commit to all. */
export function measureDelivery(pushes: number): Promise<readonly Row[]> {
  const endpoints = Array.from({ length: pushes }, (_, n) => ({ host: GOOD, path: String(n) }));
  return onPushScene(endpoints, async ({ server, port, ca, commit, until }) => {
    // At the start each is told all that there is: it was told nothing.
    await until(pushes);
    let took = 0;
    const spent = await processorOf(server, async () => {
      for (let round = 2; round < 2 + ROUNDS; round += 1) {
        await pause(THROTTLE);
        const begun = performance.timeOrigin + performance.now();
        await commit();
        took += (await until(pushes * round)) - begun;
      }
    });
    const all = pushes * ROUNDS;
    const bare = await pushBare(port, all, ca);
    const rate = (ms: number): string => `${((all * 1000) / ms).toFixed(0)} a second`;
    const each = (us: number): string => `${(us / all / 1000).toFixed(2)} ms`;
    return [
      [`encrypted pushes of one commit to ${pushes}`, rate(took), '800'],
      ['processor time of one', each(spent), '1 ms'],
      ['the same many without a server: a library and bare requests', rate(bare.took), ''],
      ['processor time of one', each(bare.spent), ''],
    ];
  });
}

/** Measures how soon a push goes: alone, and beside services that never answer. */
export async function measureHanging(): Promise<readonly Row[]> {
  const good = { host: GOOD, path: 'good' };
  const hanging = Array.from({ length: HANGING }, (_, n) => {
    return { host: `127.0.1.${n + 1}`, path: `hanging/${n}` };
  });
  const describe = (waits: readonly number[]): string => {
    const [p50, last] = [quantile(waits, 0.5), Math.max(...waits)];
    return `p50 ${p50.toFixed(0)} ms, the slowest of ${waits.length} ${last.toFixed(0)} ms`;
  };
  return [
    [
      'answer of a commit to its push, one subscription',
      describe(await onPushScene([good], waitsOf)),
      'p50 50 ms',
    ],
    [
      `the same beside ${HANGING} hosts that never answer`,
      describe(await onPushScene([...hanging, good], waitsOf)),
      'p99 1 s',
    ],
  ];
}

const SERVED = 20_000;

/** Measures the memory of subscriptions that wait for a change. */
export async function measureServed(): Promise<readonly Row[]> {
  const heapOf = (count: number): Promise<number> => {
    const endpoints = Array.from({ length: count }, (_, n) => ({ host: GOOD, path: String(n) }));
    return onPushScene(endpoints, async ({ server, memoryFile, until }) => {
      await until(count);
      // Until what was told is stored.
      await pause(5000);
      return (await memoryOf({ pid: server.pid, memoryFile })).heapUsed;
    });
  };
  const [few, many] = [await heapOf(100), await heapOf(SERVED + 100)];
  const each = ((many - few) / SERVED / 1024).toFixed(2);
  return [[`heap of a subscription that is served, of ${SERVED}`, `${each} kB`, '1 kB']];
}

/** From the answer of a commit to the push of it, ms; 0 where the push comes first. */
async function waitsOf({ commit, until }: PushScene): Promise<readonly number[]> {
  await until(1);
  const waits: number[] = [];
  for (let n = 0; n < SINGLE_COMMITS; n += 1) {
    await pause(THROTTLE);
    const committed = await commit();
    waits.push(Math.max(0, (await until(n + 2)) - committed));
  }
  return waits;
}

/** Measures how long bare pushes take (bare.mjs), ms, and their processor time, microseconds. */
async function pushBare(
  port: number,
  count: number,
  ca: string,
): Promise<{ readonly took: number; readonly spent: number }> {
  const script = fileURLToPath(new URL('./bare.mjs', import.meta.url));
  const figures = await run([script, String(port), String(count), String(CONNECTIONS), ca]);
  return JSON.parse(figures);
}
