import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { Reach } from '../../outbound/network-reach.js';

/** One POST to a push service. */
export interface Push {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** It is never repeated, so it goes over a connection of its own. */
  readonly isOnce?: boolean;
}

/** The service has answered. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** The header of this name, as it came. */
  readonly retryAfter: string | null;
  /** The start of the body, with control characters escaped. For the log alone. */
  readonly excerpt: string;
}

/**
 * There was no answer. Users may learn the kind: it is the same for a name that doesn't exist, for
 * an address inside and for a closed port.
 */
export interface Failure {
  /** `unsigned`: nothing was asked, for the key that must sign is gone (push-message.ts). */
  readonly kind: 'unreachable' | 'noAnswer' | 'unsigned';
  /** For the log alone. */
  readonly detail: string;
}

export type PostResult = Answer | Failure;

export interface PosterOptions {
  readonly reach: Pick<Reach, 'mayTry' | 'lookup'>;
  /** Certificates of authorities to trust beside the usual ones, in PEM. */
  readonly ca: string | null;
  /** For tests, ms. */
  readonly connectTimeout?: number;
  readonly timeout?: number;
}

/** Connections at once, to one host and in all. */
const HOST_SOCKETS = 8;
const ALL_SOCKETS = 256;
/** Until TLS is up, and until the answer has come, ms. */
const CONNECT_TIMEOUT = 5000;
const TIMEOUT = 10_000;
/** Unused connections live so long, ms. */
const IDLE = 30_000;
/** Octets of an answer: of all its headers, of a body that is read, and of one that is kept. */
const MAX_HEADERS = 16_384;
const MAX_BODY = 65_536;
const EXCERPT = 1024;
/** Answers "wait" before the answer. */
const MAX_INTERIM = 16;

/** Posts to push services, over connections that lead outside alone and live on for others. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #agent: Agent;
  /** Its connections serve one push each. */
  readonly #freshAgent: Agent;
  readonly #running = new Set<ClientRequest>();
  /** Sockets whose TLS is up. Node's `reusedSocket` misses one that a waiting request gets. */
  readonly #connected = new WeakSet<object>();
  #isClosed = false;

  constructor(options: PosterOptions) {
    this.#options = options;
    const { ca, reach } = options;
    const shared = {
      lookup: reach.lookup,
      noDelay: true,
      // Made once: each one parses all certificates.
      secureContext: createSecureContext(ca === null ? {} : { ca: [...rootCertificates, ca] }),
      maxSockets: HOST_SOCKETS,
      // Stronger than NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
    };
    const idle = { maxFreeSockets: HOST_SOCKETS, timeout: IDLE, scheduling: 'lifo' } as const;
    this.#agent = new Agent({ ...shared, ...idle, keepAlive: true });
    // Second attempts and verifications go at the same time.
    this.#freshAgent = new Agent({ ...shared, maxSockets: 2 * HOST_SOCKETS, keepAlive: false });
  }

  /**
   * Posts; never rejects. Follows no redirect, uses no proxy, and decodes no body. Where a kept
   * connection closed under the push, it tries once more over a fresh one. Where more run than
   * there may be connections, some wait while their time runs: the callers begin fewer.
   */
  async post(push: Push): Promise<PostResult> {
    if (this.#isClosed) return { kind: 'noAnswer', detail: STOPS };
    if (!this.#options.reach.mayTry(push.url)) {
      return { kind: 'unreachable', detail: 'the URL leads nowhere' };
    }
    this.#makeRoom();
    const deadline = performance.now() + (this.#options.timeout ?? TIMEOUT);
    const agent = push.isOnce === true ? this.#freshAgent : this.#agent;
    const first = await this.#attempt(push, agent, deadline);
    if (first !== 'stale') return first;
    const second = await this.#attempt(push, this.#freshAgent, deadline);
    if (second !== 'stale') return second;
    throw new Error('A fresh connection was used before.');
  }

  /** Ends all connections. Pushes that run get no answer. */
  close(): void {
    this.#isClosed = true;
    for (const running of this.#running) running.destroy(new NoAnswer(STOPS));
    this.#agent.destroy();
    this.#freshAgent.destroy();
  }

  /** Closes an unused connection where there are as many as there may be. */
  #makeRoom(): void {
    const { sockets, freeSockets } = this.#agent;
    const count = (all: NodeJS.ReadOnlyDict<unknown[]>): number =>
      Object.values(all).reduce((sum, some) => sum + (some?.length ?? 0), 0);
    if (count(sockets) + count(freeSockets) < ALL_SOCKETS) return;
    Object.values(freeSockets).flat()[0]?.destroy();
  }

  /** Resolves to `stale` where the connection had served before and closed without an answer. */
  #attempt({ url, headers, body }: Push, agent: Agent, deadline: number) {
    return new Promise<PostResult | 'stale'>((resolve) => {
      const options: RequestOptions = {
        ...{ method: 'POST', agent, maxHeaderSize: MAX_HEADERS },
        headers: { ...headers, 'Content-Length': body.length },
      };
      const running = request(url, options);
      this.#running.add(running);
      const watch = new Watch(running, this.#connected, {
        connect: this.#options.connectTimeout ?? CONNECT_TIMEOUT,
        answer: deadline - performance.now(),
      });
      let isAnswered = false;
      running.once('response', (response) => {
        isAnswered = true;
        read(response, (excerpt) => resolve(answerOf(response, excerpt)));
      });
      running.on('error', (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        const isStale = watch.isReused && CLOSED.has(error.code ?? '');
        resolve(isStale ? 'stale' : watch.judge(error));
      });
      running.once('close', () => {
        this.#running.delete(running);
        // An answer that switches to another protocol gives neither a response nor an error.
        if (!isAnswered) resolve(watch.judge(new NoAnswer('the connection closed')));
      });
      running.end(body);
    });
  }
}

/** Codes of errors of a connection that the other side had closed already. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

const STOPS = 'the server stops';

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Ends a request that takes too long, and tells how far it came. */
class Watch {
  /** Its connection has served another request before. */
  isReused = false;
  #isConnected = false;

  constructor(
    running: ClientRequest,
    connected: WeakSet<object>,
    limits: { readonly connect: number; readonly answer: number },
  ) {
    const end = (problem: string) => () => running.destroy(new NoAnswer(problem));
    const total = setTimeout(end('the answer took too long'), limits.answer);
    let connecting: NodeJS.Timeout | undefined;
    running.once('socket', (socket) => {
      this.isReused = connected.has(socket);
      this.#isConnected = this.isReused;
      if (this.isReused) return;
      connecting = setTimeout(end('the connection took too long'), limits.connect);
      socket.once('secureConnect', () => {
        connected.add(socket);
        this.#isConnected = true;
        clearTimeout(connecting);
      });
    });
    let interim = 0;
    running.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) end('the answers before the answer have no end')();
    });
    running.once('close', () => {
      clearTimeout(total);
      clearTimeout(connecting);
    });
  }

  judge(error: NodeJS.ErrnoException): Failure {
    const detail = escapeControls([error.code ?? '', error.message].join(' ').trim());
    return { kind: this.#isConnected ? 'noAnswer' : 'unreachable', detail };
  }
}

function answerOf({ statusCode, headers }: IncomingMessage, excerpt: string): Answer {
  const retryAfter = headers['retry-after'] ?? null;
  return { kind: 'answer', status: statusCode ?? 0, retryAfter, excerpt };
}

/**
 * Reads a body to its end or to the limit, and gives the start of it. A body that breaks off, or
 * that the deadline cuts, is one with an end: the status has come.
 */
function read(response: IncomingMessage, done: (excerpt: string) => void): void {
  let start = Buffer.alloc(0);
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (start.length < EXCERPT) start = Buffer.concat([start, chunk]).subarray(0, EXCERPT);
    if (size > MAX_BODY) response.destroy();
  });
  response.on('error', (error) => {
    if (start.length === 0) start = Buffer.from(`(${error.message})`);
  });
  response.once('close', () => done(escapeControls(start.toString('utf8'))));
}

/** Control characters, and those that order the direction of text or end a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes what a terminal or a log would obey. */
function escapeControls(text: string): string {
  return text.replace(CONTROLS, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
