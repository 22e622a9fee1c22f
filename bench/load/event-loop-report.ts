import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** The report of a server that loaded watch-event-loop.mjs on its turns of the event loop. */
export interface LoopReport {
  /** Processor time, ms. */
  readonly p99: number;
  readonly longest: number;
  /** How many took more than 50 ms. */
  readonly over: number;
  readonly traces: readonly Trace[];
}

/** A long turn: what was running, in ms by the clock. */
interface Trace {
  readonly ms: number;
  readonly parts: readonly (readonly [string, number])[];
}

/** Options for Node that load it; the server writes to the file that LOOP_FILE names. */
export const WATCH_LOOP = ['--import', new URL('./watch-event-loop.mjs', import.meta.url).href];

/** Reads the figures since they were read the last time. */
export async function readLoopReport(pid: number, file: string): Promise<LoopReport> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await pause(10);
  await pause(50);
  return JSON.parse(await readFile(file, 'utf8')) as LoopReport;
}
