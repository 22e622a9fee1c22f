import type { Client } from '../support/client.js';
import type { JsonMap } from '../support/json.js';
import type { RunningServer } from '../support/server.js';
import { Draw } from './draw.js';
import { sendBody } from './framing.js';
import { type Answered, type Judgement, judgeHttp } from './oracle.js';
import { makeRequest } from './request.js';
import { responseShapes, type Shapes } from './shapes.js';
import { FuzzSocket, judgeMessage, makeMessage } from './sockets.js';
import { growth, processorTime, type Sample, takeSample } from './watch.js';
import { Wire } from './wire.js';
import { type FuzzAccounts, type FuzzWorld, Pool } from './world.js';

/** A run of random requests against a server, each of which the seed and its number tell. */

export interface FuzzOptions {
  readonly server: RunningServer;
  readonly client: Client;
  readonly metricsToken: string;
  readonly accounts: FuzzAccounts;
  readonly world: FuzzWorld;
  readonly seed: number;
  readonly requests: number;
  /** The number of the first request: with `requests` 1 one of an earlier run is sent again. */
  readonly first?: number;
  readonly connections?: number;
  readonly sockets?: number;
  /** It ends after so many seconds, however many requests it has sent. */
  readonly seconds?: number;
  /** Requests between two samples of the server's memory. */
  readonly sampleEvery?: number;
  progress?(line: string): void;
}

/** An answer that no server may give, with all that it takes to see it again. */
export interface Finding {
  readonly seed: number;
  readonly number: number;
  readonly way: string;
  readonly wrong: readonly string[];
  readonly request: string;
  readonly answer: string;
}

export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  readonly seconds: number;
  /** How often each kind of answer came. */
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  readonly samples: readonly Sample[];
  /**
   * Megabytes more at the end than the begin, without what comes and goes; null where it can't be
   * said.
   */
  readonly heapGrowth: number | null;
  readonly rssGrowth: number | null;
  readonly processorSeconds: number | null;
  /** The same of the process that sends requests and judges answers. */
  readonly driverSeconds: number;
}

/** So many findings say enough. */
const MOST_FINDINGS = 20;
/**
 * Objects of a type that an account may have before some are destroyed; what a run costs stays the
 * same.
 */
const MOST_OBJECTS = 150;
const TIDY_EVERY = 2000;

class Run {
  readonly #options: FuzzOptions;
  readonly #pool = new Pool();
  readonly #shapes: Shapes;
  readonly #counts = new Map<string, number>();
  readonly #findings: Finding[] = [];
  readonly #samples: Sample[] = [];
  #next: number;
  #done = 0;
  readonly #end: number;

  constructor(options: FuzzOptions) {
    this.#options = options;
    this.#next = options.first ?? 0;
    this.#end = performance.now() + (options.seconds ?? Number.POSITIVE_INFINITY) * 1000;
    this.#shapes = responseShapes(options.world);
  }

  async whole(): Promise<FuzzReport> {
    const { server, seed, connections = 8, sockets = 2 } = this.#options;
    const before = processorTime(server.pid);
    const start = performance.now();
    const cpu = process.cpuUsage();
    await this.#sample();
    await Promise.all([
      ...Array.from({ length: connections }, () => this.#overHttp()),
      ...Array.from({ length: sockets }, () => this.#overSocket()),
    ]);
    await this.#sample();
    const after = processorTime(server.pid);
    const { user, system } = process.cpuUsage(cpu);
    return {
      seed,
      requests: this.#done,
      seconds: (performance.now() - start) / 1000,
      counts: new Map([...this.#counts].sort(([, a], [, b]) => b - a)),
      findings: this.#findings,
      samples: this.#samples,
      heapGrowth: growth(this.#samples, ({ heapMb }) => heapMb, 1 / 4),
      // V8 and malloc keep pages: it takes half of a long run until they need no more.
      rssGrowth: growth(this.#samples, ({ rssMb }) => rssMb, 1 / 2),
      driverSeconds: (user + system) / 1e6,
      processorSeconds: before === null || after === null ? null : after - before,
    };
  }

  /** Requests by HTTP; those of a number that a socket's loop would take are the same ones. */
  async #overHttp(): Promise<void> {
    const { server, client } = this.#options;
    const wire = new Wire(Number(new URL(server.url).port));
    for (let draw = this.#draw(); draw !== null; draw = this.#draw()) {
      const request = makeRequest(draw);
      const sent = await sendBody(draw, { wire, token: client.token }, request.octets);
      for (const answer of sent.answers) {
        const judged = judgeHttp(request, answer, sent.isPlain, this.#shapes);
        this.#take(draw.number, sent.way, judged, request.octets, answer.body);
      }
      await this.#after(sent.answers.length);
    }
    wire.close();
  }

  async #overSocket(): Promise<void> {
    const { server, client } = this.#options;
    const socket = new FuzzSocket(server.url, client.token);
    for (let draw = this.#draw(); draw !== null; draw = this.#draw()) {
      const message = makeMessage(draw);
      const came = await socket.send(message.octets, message.isBinary);
      const judged = judgeMessage(message, came, this.#shapes);
      const answer = typeof came === 'number' ? Buffer.from(String(came)) : came;
      this.#take(draw.number, 'WebSocket', judged, message.octets, answer);
      await this.#after(1);
    }
    socket.close();
  }

  #draw(): Draw | null {
    const { seed, requests, first = 0, world, accounts } = this.#options;
    const number = this.#next;
    const isOver = performance.now() > this.#end || this.#findings.length >= MOST_FINDINGS;
    if (number >= first + requests || isOver) return null;
    this.#next += 1;
    return new Draw({ seed, number, world, accounts, pool: this.#pool });
  }

  #take(number: number, way: string, judged: Judgement, request: Buffer, answer: Buffer): void {
    for (const kind of judged.kinds) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (judged.wrong.length > 0) {
      const finding = {
        seed: this.#options.seed,
        number,
        way,
        wrong: judged.wrong,
        request: shown(request),
        answer: shown(answer),
      };
      this.#findings.push(finding);
      // At once: a run that is ended early tells it, too.
      this.#options.progress?.(`finding ${JSON.stringify(finding)}`.slice(0, 4000));
    }
    for (const one of judged.answered) learn(this.#pool, one);
  }

  async #after(answers: number): Promise<void> {
    const { sampleEvery = 10_000 } = this.#options;
    const before = this.#done;
    this.#done += answers;
    const passes = (every: number) => Math.floor(before / every) !== Math.floor(this.#done / every);
    if (passes(TIDY_EVERY)) await this.#tidy();
    if (passes(sampleEvery)) await this.#sample();
  }

  async #sample(): Promise<void> {
    const { server, metricsToken, progress } = this.#options;
    const sample = await takeSample(server, metricsToken, this.#done);
    this.#samples.push(sample);
    progress?.(
      `${sample.requests} requests, heap ${sample.heapMb.toFixed(1)} MB, RSS ` +
        `${sample.rssMb.toFixed(1)} MB, ${sample.descriptors ?? '?'} descriptors, loop ` +
        `${sample.loopDelay.toFixed(0)} ms, ${this.#findings.length} findings`,
    );
  }

  /** Destroys what is too many: by no request of the run, and not counted. */
  async #tidy(): Promise<void> {
    const { client, world, accounts } = this.#options;
    for (const { name, methods } of world.types) {
      if (!methods.includes('query') || !methods.includes('set')) continue;
      for (const accountId of accounts.own) {
        const { ids } = await client.query(name, { accountId });
        const destroy = ids.slice(0, Math.max(0, ids.length - MOST_OBJECTS));
        for (let at = 0; at < destroy.length; at += 100) {
          await client.set(name, { accountId, destroy: destroy.slice(at, at + 100) });
        }
      }
    }
  }
}

export const fuzz = (options: FuzzOptions): Promise<FuzzReport> => new Run(options).whole();

/** Text that JSON.parse would take is shown as it is, other octets as base64. */
function shown(octets: Buffer): string {
  const text = octets.toString('utf8');
  const isText = Buffer.from(text).equals(octets);
  return isText ? text : `base64:${octets.toString('base64')}`;
}

/** Keeps what later requests may name. */
function learn(pool: Pool, { name, args, call }: Answered): void {
  const [type = ''] = name.split('/');
  const { state, newState, queryState, newQueryState, created, ids, accountId } = args;
  if (typeof accountId === 'string') {
    pool.add(`${type}/state/${accountId}`, state ?? newState);
  }
  pool.add(`${type}/queryState`, queryState ?? newQueryState);
  if (Array.isArray(ids)) for (const id of ids.slice(0, 4)) pool.add(`${type}/id`, id);
  if (typeof created !== 'object' || created === null || Array.isArray(created)) return;
  for (const made of Object.values(created)) {
    const { id, blobId } = made as JsonMap;
    if (typeof blobId === 'string' && call[0].startsWith('Blob/')) pool.add('blob', blobId);
    else pool.add(`${type}/id`, id);
  }
}
