import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { httpAnswer } from '../support/client.js';
import type { RunningServer } from '../support/server.js';

/** The resources that a server's process holds at a moment. */
export interface Sample {
  /** Requests that were answered before. */
  readonly requests: number;
  readonly heapMb: number;
  readonly rssMb: number;
  /** File descriptors, sockets too; null where the system doesn't tell. */
  readonly descriptors: number | null;
  /** The greatest delay of the event loop since the last sample, ms. */
  readonly loopDelay: number;
}

const MB = 1_000_000;
/** How long a full collection may take, ms. */
const COLLECTION = 500;

/** Of a server that collects its garbage first (collect.mjs). */
export async function takeSample(
  server: RunningServer,
  token: string,
  requests: number,
): Promise<Sample> {
  if (process.platform !== 'win32') {
    process.kill(server.pid, 'SIGUSR2');
    await pause(COLLECTION);
  }
  const answer = await httpAnswer(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const value = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(answer.text)?.[1]);
  return {
    requests,
    heapMb: (value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes')) / MB,
    rssMb: value('process_resident_memory_bytes') / MB,
    descriptors: descriptorsOf(server.pid),
    loopDelay: value('nodejs_eventloop_lag_max_seconds') * 1000,
  };
}

function descriptorsOf(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The processor time of a process, s; null where the system doesn't tell. */
export function processorTime(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Windows that a run's samples are parted into: of each the least is what stays after a collection.
 */
const WINDOWS = 8;

/**
 * Returns how much a figure grew over a run, beyond what comes and goes. It draws a line through
 * the least value of each window. `leftOut` is the part of the run at its beginning that doesn't
 * count, in which caches fill. Null where there are too few samples to say.
 */
export function growth(
  samples: readonly Sample[],
  figure: (sample: Sample) => number,
  leftOut: number,
): number | null {
  const last = samples.at(-1)?.requests ?? 0;
  const warm = samples.filter(({ requests }) => requests >= last * leftOut);
  if (warm.length < WINDOWS * 2) return null;
  const points = Array.from({ length: WINDOWS }, (_, n) => {
    const from = Math.floor((warm.length * n) / WINDOWS);
    const window = warm.slice(from, Math.floor((warm.length * (n + 1)) / WINDOWS));
    return { x: n, y: Math.min(...window.map(figure)) };
  });
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map((point) => point.x));
  const y = mean(points.map((point) => point.y));
  const slope =
    points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) /
    points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return slope * (WINDOWS - 1);
}

/**
 * Returns the lines that a server logged and that are no answer's business: defects, warnings of
 * Node, rejections.
 */
export function complaints(output: string): string[] {
  return output.split('\n').filter((line) => {
    if (line.trim() === '') return false;
    if (!line.startsWith('{')) return true;
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    return level >= 50 || msg.includes('defect');
  });
}

/** Of standard output, where the log goes, the lines that are no notice. */
export const defects = (output: string): string[] =>
  complaints(output).filter((line) => line.startsWith('{'));
