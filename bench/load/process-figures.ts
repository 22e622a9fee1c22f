import { readFile } from 'node:fs/promises';

/** Ticks of /proc/PID/stat in a second: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** CPU time of a process so far, microseconds; null where the system does not tell. */
export async function cpuTime(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may hold anything: what is counted begins behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS;
}

/** The most memory that a process had at a time, MB; null where the system does not tell. */
export async function peakRss(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
  return Math.round(kilobytes / 1024);
}
