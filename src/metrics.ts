import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Kinds of connections that stay open. */
export type OpenKind = 'eventsource' | 'websocket';

/** What the process counts. No label ever holds an account, a user or a text that a client chose. */
export interface Metrics {
  /** `route` is a template, `seconds` from the first header to the end of the answer. */
  httpRequest(route: string, method: string, status: string, seconds: number): void;
  /** `method` is a registered method name. */
  methodCall(method: string): void;
  /** `type` is a method-level error type. */
  methodError(type: string): void;
  opened(kind: OpenKind): void;
  closed(kind: OpenKind): void;
  /** The Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Labels = Readonly<Record<string, string>>;

interface Count {
  readonly labels: Labels;
  count: number;
}

/** Counts of combinations of a few values: nested maps, since to make a key of them would cost as much as all else. */
class Counts {
  readonly #all: Count[] = [];
  readonly #roots = new Map<string, Map<string, Map<string, Count>>>();

  /** The count of the three values; `labels` is asked at the first time alone. */
  add(a: string, b: string, c: string, labels: (a: string, b: string, c: string) => Labels): void {
    const known = this.#roots.get(a)?.get(b)?.get(c);
    if (known !== undefined) known.count += 1;
    else this.#make(a, b, c, labels(a, b, c));
  }

  [Symbol.iterator](): Iterator<Count> {
    return this.#all[Symbol.iterator]();
  }

  #make(a: string, b: string, c: string, labels: Labels): void {
    const ofA = this.#roots.get(a) ?? new Map<string, Map<string, Count>>();
    this.#roots.set(a, ofA);
    const ofB = ofA.get(b) ?? new Map<string, Count>();
    ofA.set(b, ofB);
    const count = { labels, count: 1 };
    ofB.set(c, count);
    this.#all.push(count);
  }
}

const requestLabels = (route: string, method: string, status: string): Labels => ({
  route,
  method,
  status,
});

/** A histogram by route template, as Prometheus reads it. */
class Durations {
  /** How many lie in each bucket and not in one before it; the last is for what is longer. */
  readonly #routes = new Map<string, { readonly counts: number[]; sum: number }>();

  observe(route: string, seconds: number): void {
    let known = this.#routes.get(route);
    if (known === undefined) {
      known = { counts: new Array<number>(SECONDS.length + 1).fill(0), sum: 0 };
      this.#routes.set(route, known);
    }
    let bucket = 0;
    while (bucket < SECONDS.length && seconds > (SECONDS[bucket] ?? 0)) bucket += 1;
    known.counts[bucket] = (known.counts[bucket] ?? 0) + 1;
    known.sum += seconds;
  }

  text(): string {
    const name = 'jmap_http_request_duration_seconds';
    const help = 'Time from the request to the end of its answer, by route template.';
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const [route, { counts, sum }] of this.#routes) {
      let below = 0;
      counts.forEach((inBucket, bucket) => {
        below += inBucket;
        lines.push(`${name}_bucket{le="${SECONDS[bucket] ?? '+Inf'}",route="${route}"} ${below}`);
      });
      lines.push(
        `${name}_sum{route="${route}"} ${sum}`,
        `${name}_count{route="${route}"} ${below}`,
      );
    }
    return `${lines.join('\n')}\n`;
  }
}

/** `process`: the process's own metrics too (memory, CPU, event loop lag, garbage collection). */
export function createMetrics(options: { process: boolean }): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  // Every request counts: in fields of ours, of which prom-client's values are made when they are asked for. Its own
  // look-up of a counter sorts and joins labels.
  const byStatus = new Counts();
  new Counter({
    name: 'jmap_http_requests_total',
    help: 'HTTP requests by route template, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of byStatus) this.inc(labels, count);
    },
  });
  const durations = new Durations();
  const byMethod = new Map<string, Count>();
  new Counter({
    name: 'jmap_method_calls_total',
    help: 'JMAP method calls by method name.',
    labelNames: ['method'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of byMethod.values()) this.inc(labels, count);
    },
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
  return {
    httpRequest(route, method, status, seconds) {
      byStatus.add(route, method, status, requestLabels);
      durations.observe(route, seconds);
    },
    methodCall(method) {
      const known = byMethod.get(method);
      if (known === undefined) byMethod.set(method, { labels: { method }, count: 1 });
      else known.count += 1;
    },
    methodError: (type) => errors.inc({ type }),
    opened: (kind) => open.inc({ kind }),
    closed: (kind) => open.dec({ kind }),
    text: async () => `${await registry.metrics()}\n${durations.text()}`,
    contentType: registry.contentType,
  };
}
