import type { Measurement } from '../model.js';
import { Connection } from './connection.js';
import { cpuTime } from './process-figures.js';

export interface Load {
  readonly port: number;
  readonly pid: number;
  readonly connections: number;
  /** Length of the measurement. */
  readonly seconds: number;
  /** The runs that go before it and are not counted. */
  readonly warmUp: number;
  /** The texts of the nth unit of work: requests, one after the other on one connection. */
  readonly requests: (n: number) => readonly (Buffer | string)[];
  /** Is given the answers of some units, after the measurement. Throws where they are not right. */
  readonly check: (bodies: readonly Buffer[]) => void;
}

/** Answers that are looked at: the first ones, and one in so many of the others. */
const FIRST = 4;
const ONE_IN = 500;
const MOST = 40;

/** Numbers units over all measurements, so that each update sets a text of its own. */
let sent = 0;

/** Sends on all connections as fast as answers come, and counts what was answered meanwhile. */
export async function generateLoad(load: Load): Promise<Measurement> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => Connection.open(load.port)),
  );
  const latencies: number[] = [];
  const looked: Buffer[][] = [];
  let phase: 'warming' | 'measuring' | 'ended' = 'warming';
  let answered = 0;
  let octets = 0;
  const work = async (connection: Connection): Promise<void> => {
    while (phase !== 'ended') {
      sent += 1;
      const look = looked.length < MOST && (answered < FIRST || answered % ONE_IN === 0);
      const bodies: Buffer[] = [];
      let received = 0;
      const started = performance.now();
      for (const request of load.requests(sent)) {
        const answer = await connection.send(request, look);
        if (answer.status < 200 || answer.status > 299)
          throw new Error(`An answer was ${answer.status}: ${excerpt(answer.body)}`);
        received += answer.octets;
        if (look) bodies.push(answer.body);
      }
      answered += 1;
      if (look) looked.push(bodies);
      if (phase !== 'measuring') continue;
      latencies.push(performance.now() - started);
      octets += received;
    }
  };
  try {
    const all = Promise.all(connections.map(work));
    // A failure ends the measurement at once.
    const failed = all.then(() => new Promise<never>(() => undefined));
    await Promise.race([pause(load.warmUp), failed]);
    const cpuBefore = await cpuTime(load.pid);
    const started = performance.now();
    const ownBefore = process.cpuUsage();
    phase = 'measuring';
    await Promise.race([pause(load.seconds), failed]);
    const counted = latencies.length;
    const octetsEach = counted === 0 ? 0 : Math.round(octets / counted);
    const elapsed = (performance.now() - started) / 1000;
    const own = process.cpuUsage(ownBefore);
    const cpuAfter = await cpuTime(load.pid);
    phase = 'ended';
    await all;
    for (const bodies of looked) load.check(bodies);
    const sorted = Float64Array.from(latencies).sort();
    const cpu = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
    return {
      perSecond: counted / elapsed,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      cpu: cpu === null || counted === 0 ? null : cpu / counted,
      load: (own.user + own.system) / 1_000_000 / elapsed,
      octets: octetsEach,
    };
  } finally {
    phase = 'ended';
    for (const connection of connections) connection.close();
  }
}

/** The text of a request, as it goes over the wire. */
export function requestText(method: string, path: string, token: string, body?: unknown): Buffer {
  const text = body === undefined ? null : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: keep-alive',
    `authorization: Bearer ${token}`,
  ];
  if (text !== null)
    head.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text ?? ''}`);
}

function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function excerpt(body: Buffer): string {
  return body.subarray(0, 300).toString('utf8');
}
