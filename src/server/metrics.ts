import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../http/shared.js';
import { countPush, type PushFigures } from './push-metrics.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface MetricsOptions {
  /** The process's own ones too (memory, CPU, event loop lag, garbage collection). */
  readonly process: boolean;
  /** Counts the work of hooks that is left to do. */
  readonly tasks?: () => Promise<{ readonly waiting: number; readonly failing: number }>;
  /** Counts objects that files of `evolve/` could not convert. */
  readonly unconverted?: () => Promise<number>;
  /** By type with something unique: how many values several objects have. */
  readonly duplicates?: ReadonlyMap<string, number>;
  readonly push?: () => PushFigures | null;
}

/** Creates the metrics. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'jmap_http_requests_total',
    help: 'HTTP requests by route template, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'jmap_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route template.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  const calls = new Counter({
    name: 'jmap_method_calls_total',
    help: 'JMAP method calls by method name.',
    labelNames: ['method'],
    registers,
  });
  const errors = new Counter({
    name: 'jmap_method_errors_total',
    help: 'JMAP method calls answered with an error, by error type.',
    labelNames: ['type'],
    registers,
  });
  const open = new Gauge({
    name: 'jmap_open_connections',
    help: 'Connections that stay open, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const limited = new Counter({
    name: 'jmap_rate_limited_total',
    help: 'Requests that a rule of RATE_LIMITS has refused, by rule.',
    labelNames: ['rule'],
    registers,
  });
  if (options.tasks !== undefined) countTasks(options.tasks, registers);
  if (options.unconverted !== undefined) countUnconverted(options.unconverted, registers);
  if (options.duplicates !== undefined) countDuplicates(options.duplicates, registers);
  if (options.push !== undefined) countPush(options.push, registers);
  return {
    httpRequest(route, method, status, seconds) {
      requests.inc({ route, method, status });
      durations.observe({ route }, seconds);
    },
    methodCall: (method) => calls.inc({ method }),
    methodError: (type) => errors.inc({ type }),
    opened: (kind) => open.inc({ kind }),
    closed: (kind) => open.dec({ kind }),
    rateLimited: (rule) => limited.inc({ rule }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function countTasks(
  tasks: NonNullable<MetricsOptions['tasks']>,
  registers: readonly Registry[],
): void {
  new Gauge({
    name: 'jmap_hook_tasks',
    help: 'Durable work of hooks that is left to do, by state.',
    labelNames: ['state'],
    registers: [...registers],
    async collect() {
      const { waiting, failing } = await tasks();
      this.set({ state: 'waiting' }, waiting);
      this.set({ state: 'failing' }, failing);
    },
  });
}

function countUnconverted(
  unconverted: NonNullable<MetricsOptions['unconverted']>,
  registers: readonly Registry[],
): void {
  new Gauge({
    name: 'jmap_unconverted_objects',
    help: 'Objects that files of evolve/ could not convert.',
    registers: [...registers],
    async collect() {
      this.set(await unconverted());
    },
  });
}

function countDuplicates(
  duplicates: NonNullable<MetricsOptions['duplicates']>,
  registers: readonly Registry[],
): void {
  new Gauge({
    name: 'jmap_duplicate_values',
    help: 'Values that several objects have though they must be unique, by type.',
    labelNames: ['type'],
    registers: [...registers],
    collect() {
      for (const [type, count] of duplicates) this.set({ type }, count);
    },
  });
}
