import { cpus, loadavg } from 'node:os';
import { CONNECTIONS } from './measure.js';
import type { Job, Measurement } from './model.js';
import type { Options } from './options.js';

/** The measurements by job and server, one a round. */
export class Results {
  readonly #all = new Map<string, Map<string, Measurement[]>>();

  add(job: string, server: string, measurement: Measurement): void {
    const ofJob = this.#all.get(job) ?? new Map<string, Measurement[]>();
    this.#all.set(job, ofJob);
    const ofServer = ofJob.get(server) ?? [];
    ofJob.set(server, ofServer);
    ofServer.push(measurement);
  }

  of(job: string, server: string): readonly Measurement[] {
    return this.#all.get(job)?.get(server) ?? [];
  }

  jobs(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** Of a job, in the order in which they were started. */
  servers(job: string): readonly string[] {
    return [...(this.#all.get(job)?.keys() ?? [])].sort();
  }
}

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const next = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (min === undefined || max === undefined || median === undefined || next === undefined)
    return null;
  return { min, median: (median + next) / 2, max };
}

/**
 * Returns how many times as fast the server is as the best of the others, round by round.
 * Measurements side by side are compared, since a machine is not the same a minute later.
 */
export function ratios(
  results: Results,
  { job, server, against, ofJob = job }: Comparison,
): readonly number[] {
  return results.of(job, server).flatMap((mine, round) => {
    const theirs = against.flatMap((other) => results.of(ofJob, other)[round]?.perSecond ?? []);
    const complete = theirs.length === against.length;
    const best = Math.max(0, ...theirs);
    // None was answered in a round of a moment: there is nothing to compare with.
    return complete && best > 0 ? mine.perSecond / best : [];
  });
}

export interface Comparison {
  readonly job: string;
  readonly server: string;
  /** The fastest of them counts. */
  readonly against: readonly string[];
  /** Another job of theirs: by default the same. */
  readonly ofJob?: string;
}

export function table(results: Results, jobs: readonly Job[], rounds: number): string {
  const lines = [
    machine(rounds),
    '',
    '| job | server | per second: min / median / max | p50 ms | p99 ms | CPU µs each | ' +
      'load | octets |',
    '|---|---|---|---|---|---|---|---|',
  ];
  for (const { name } of jobs)
    for (const server of results.servers(name)) {
      const all = results.of(name, server);
      const rate = spread(all.map(({ perSecond }) => perSecond));
      const p50 = spread(all.map((one) => one.p50))?.median ?? 0;
      const p99 = spread(all.map((one) => one.p99))?.median ?? 0;
      const cpu = spread(all.flatMap((one) => one.cpu ?? []))?.median;
      const load = spread(all.map((one) => one.load))?.median ?? 0;
      const octets = spread(all.map((one) => one.octets))?.median ?? 0;
      const columns = [
        ...[name, server, threeOf(rate, rate !== null && rate.median < 100 ? 1 : 0)],
        ...[p50.toFixed(1), p99.toFixed(1), cpu === undefined ? '' : cpu.toFixed(0)],
        ...[load.toFixed(2), octets.toFixed(0)],
      ];
      lines.push(`| ${columns.join(' | ')} |`);
    }
  return `${lines.join('\n')}\n`;
}

function machine(rounds: number): string {
  return (
    `${cpus().length} cores, Node ${process.versions.node}, ${CONNECTIONS} connections, ` +
    `${rounds} rounds`
  );
}

export function threeOf(values: Spread | null, digits: number): string {
  if (values === null) return 'not measured';
  return [values.min, values.median, values.max].map((value) => value.toFixed(digits)).join(' / ');
}

/** Returns the stored figures: all measurements, and where they were taken. */
export function figures(
  results: Results,
  memory: ReadonlyMap<string, number | null>,
  options: Options,
): object {
  return {
    time: new Date().toISOString(),
    node: process.versions.node,
    cpus: cpus().map(({ model }) => model),
    // Of the machine, over the last 1, 5 and 15 minutes: the run's own is 2 to 3.
    loadAverage: loadavg(),
    connections: CONNECTIONS,
    rounds: options.rounds,
    seconds: options.seconds,
    quick: options.quick,
    peakRssMB: Object.fromEntries(memory),
    jobs: Object.fromEntries(
      results
        .jobs()
        .map((job) => [
          job,
          Object.fromEntries(results.servers(job).map((name) => [name, results.of(job, name)])),
        ]),
    ),
  };
}
