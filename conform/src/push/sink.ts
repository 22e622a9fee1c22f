import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { StreamError } from '../client/no-answer.js';

/** Octets of a push that are read: push services take 4,096 (RFC 8030 7.2). */
const MOST = 1_000_000;

/** A request that the server sent to a subscription's URL. */
export interface Push {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly octets: Buffer;
}

export interface SinkOptions {
  /**
   * How the server reaches the sink, the start of each subscription's URL. Its port 0 stands for
   * the one that the runner listens at.
   */
  readonly url: string;
  /** The port that the runner listens at; 0 takes any. */
  readonly port: number;
  /** The certificate and the key of the URL's host, in PEM. Without it another program has TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Takes the requests that a server sends for push subscriptions (RFC 8620 7.2). */
export class PushSink {
  readonly #server: Server;
  readonly #url: string;
  readonly #inboxes = new Map<string, Inbox>();

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.#url = url.replace(/\/+$/, '');
  }

  /** Listens. Rejects where the port can't be used. */
  static async start({ url, port, certificate }: SinkOptions): Promise<PushSink> {
    let sink: PushSink | undefined;
    const listener: RequestListener = (req, res) => {
      const chunks: Buffer[] = [];
      let length = 0;
      req.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MOST) req.destroy();
        else chunks.push(chunk);
      });
      req.on('end', () => {
        const { method = '', headers } = req;
        const inbox = sink?.find(req.url ?? '');
        inbox?.hear({ method, headers, octets: Buffer.concat(chunks) });
        res.writeHead(inbox === undefined ? 404 : 201).end();
      });
    };
    const server =
      certificate === undefined
        ? createServer(listener)
        : createSecureServer(certificate, listener);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, resolve);
    });
    const whole = new URL(url);
    const { port: bound } = server.address() as AddressInfo;
    if (whole.port === '0') whole.port = String(bound);
    sink = new PushSink(server, whole.href);
    return sink;
  }

  /** Returns where the runner listens. */
  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  /** Opens an inbox under a URL that nobody can guess. */
  open(): Inbox {
    const name = randomBytes(18).toString('base64url');
    const inbox = new Inbox(`${this.#url}/${name}`);
    this.#inboxes.set(name, inbox);
    return inbox;
  }

  /** Finds the inbox of a request's path: a forwarder may have changed what is before its name. */
  find(path: string): Inbox | undefined {
    const [whole = ''] = path.split('?');
    return this.#inboxes.get(whole.slice(whole.lastIndexOf('/') + 1));
  }

  /** Ends all connections. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Keeps the requests that came to one URL. */
export class Inbox {
  readonly url: string;
  readonly pushes: Push[] = [];
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(url: string) {
    this.url = url;
  }

  hear(push: Push): void {
    this.pushes.push(push);
    for (const look of this.#waiting) look();
  }

  /** Waits for the next push that nobody took. Rejects with StreamError at the deadline. */
  take(patience: number): Promise<Push> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const push = this.pushes[this.#taken];
        if (push === undefined) return;
        this.#taken += 1;
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve(push);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new StreamError(`No push came to ${this.url} within ${patience} ms.`));
      }, patience);
      this.#waiting.add(look);
      look();
    });
  }
}
