import { createRequire, syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';

/**
 * Loaded before a server (NODE_OPTIONS): its clocks and timers run $CLOCK_SPEED times as fast, from
 * $CLOCK_EPOCH on, epoch ms. Pauses of push would make tests long.
 * Timers of over $CLOCK_LONGEST ms keep their length: the comparison of each minute must not hide a
 * lost hint.
 */
const speed = Number(process.env.CLOCK_SPEED);
const epoch = Number(process.env.CLOCK_EPOCH);
const longest = Number(process.env.CLOCK_LONGEST);

const require = createRequire(import.meta.url);
const timers = require('node:timers');
const promises = require('node:timers/promises');

const RealDate = Date;
const realNow = Date.now;
const now = () => Math.floor(epoch + (realNow() - epoch) * speed);

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }

  static now() {
    return now();
  }
};

const realPerformanceNow = performance.now.bind(performance);
performance.now = () => realPerformanceNow() * speed;

const shorten = (ms) => (ms > longest ? ms : ms / speed);

for (const name of ['setTimeout', 'setInterval']) {
  const real = timers[name];
  const quick = (run, ms, ...args) => real(run, shorten(ms), ...args);
  timers[name] = quick;
  globalThis[name] = quick;
}
const realSleep = promises.setTimeout;
promises.setTimeout = (ms, ...rest) => realSleep(shorten(ms), ...rest);
globalThis.setTimeout[promisify.custom] = promises.setTimeout;
syncBuiltinESMExports();
