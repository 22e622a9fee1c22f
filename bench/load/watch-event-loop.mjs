import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/**
 * Loaded into a server that is measured: how much processor time its thread takes between two turns
 * of the event loop. That is what a block lasts on a machine that does nothing else (Linux tells
 * it). At SIGUSR2 the figures since the last one go to the file that LOOP_FILE names. Where
 * LOOP_TRACE is so many milliseconds, they have also what ran in the longest of the turns that took
 * more.
 */
const { LOOP_FILE, LOOP_TRACE } = process.env;
/** Milliseconds between two looks. */
const STEP = 1;
/** Microseconds between two looks of the profiler. */
const SAMPLE = 500;
/** Turns that are told of, and functions of each. */
const TURNS = 6;
const FUNCTIONS = 14;

if (LOOP_FILE !== undefined) watch(LOOP_FILE);

function watch(file) {
  const buffer = Buffer.alloc(100);
  const source = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const spent = () =>
    Number(buffer.toString('latin1', 0, readSync(source, buffer, 0, 100, 0)).split(' ')[0]) / 1e6;
  const trace = LOOP_TRACE === undefined ? null : traced(Number(LOOP_TRACE));
  let turns = [];
  let last = spent();
  setInterval(() => {
    const now = spent();
    turns.push(now - last);
    trace?.turn(now - last);
    last = now;
  }, STEP).unref();
  process.on('SIGUSR2', () => {
    turns.sort((a, b) => a - b);
    const at = (part) => turns[Math.min(turns.length - 1, Math.floor(turns.length * part))] ?? 0;
    const over = turns.filter((ms) => ms > 50).length;
    const figures = { p99: at(0.99), longest: at(1), over, traces: trace?.longest() ?? [] };
    turns = [];
    last = spent();
    writeFileSync(file, JSON.stringify(figures));
  });
  process.once('exit', () => closeSync(source));
}

/** Profiles all the time, and keeps what the samples within long turns say. */
function traced(limit) {
  const session = new Session();
  session.connect();
  const post = (method, params) => {
    let answer;
    // Within one thread it answers before it returns.
    session.post(method, params, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  };
  const now = () => Number(process.hrtime.bigint() / 1000n);
  const start = () => post('Profiler.start');
  post('Profiler.enable');
  post('Profiler.setSamplingInterval', { interval: SAMPLE });
  start();
  let long = [];
  let begun = now();
  return {
    turn(ms) {
      const end = now();
      if (ms > limit) long.push({ ms, begun, end });
      begun = end;
    },
    longest() {
      const { profile } = post('Profiler.stop');
      const worst = long.sort((a, b) => b.ms - a.ms).slice(0, TURNS);
      long = [];
      const told = worst.map(({ ms, begun, end }) => ({ ms, parts: partsOf(profile, begun, end) }));
      start();
      begun = now();
      return told;
    },
  };
}

/** Wall milliseconds by function of the project that was running, or that had called what was. */
function partsOf({ nodes, samples, timeDeltas, startTime }, begun, end) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const sums = new Map();
  let time = startTime;
  for (const [index, sample] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    time += delta;
    if (time < begun || time > end) continue;
    const name = nameOf(sample, byId, parents);
    sums.set(name, (sums.get(name) ?? 0) + delta / 1000);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, FUNCTIONS);
}

function nameOf(sample, byId, parents) {
  const own = byId.get(sample)?.callFrame.functionName ?? '';
  if (own === '(idle)' || own === '(program)' || own === '(garbage collector)') return own;
  for (let id = sample; id !== undefined; id = parents.get(id)) {
    const { functionName, url } = byId.get(id)?.callFrame ?? {};
    const file = /dist\/((?:src|generated)\/.*)$/.exec(url ?? '')?.[1];
    if (file !== undefined) return `${file} ${functionName}`;
  }
  return own;
}
