import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';

/**
 * Loaded into a server that is measured: how much processor time its thread takes between two turns of
 * the event loop. That is what a block lasts on a machine that does nothing else (Linux tells it). At
 * SIGUSR2 the figures since the last one go to the file that TURNS_FILE names.
 */
const { TURNS_FILE } = process.env;
/** Milliseconds between two looks. */
const STEP = 1;

if (TURNS_FILE !== undefined) watch(TURNS_FILE);

function watch(file) {
  const buffer = Buffer.alloc(100);
  const source = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const spent = () =>
    Number(buffer.toString('latin1', 0, readSync(source, buffer, 0, 100, 0)).split(' ')[0]) / 1e6;
  let turns = [];
  let last = spent();
  setInterval(() => {
    const now = spent();
    turns.push(now - last);
    last = now;
  }, STEP).unref();
  process.on('SIGUSR2', () => {
    turns.sort((a, b) => a - b);
    const at = (part) => turns[Math.min(turns.length - 1, Math.floor(turns.length * part))] ?? 0;
    const figures = { p99: at(0.99), longest: at(1), over: turns.filter((ms) => ms > 50).length };
    turns = [];
    last = spent();
    writeFileSync(file, JSON.stringify(figures));
  });
  process.once('exit', () => closeSync(source));
}
