import WebSocket from 'ws';
import type { Client } from './client.js';
import type { JsonMap } from './json.js';
import { within } from './poll.js';

export interface Handshake {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly compress?: boolean;
  /** In place of the client's token. */
  readonly ticket?: string | null;
}

/** A JMAP WebSocket that is open, with what came over it. */
export class JmapSocket {
  readonly raw: WebSocket;
  readonly messages: JsonMap[] = [];
  readonly closed: Promise<number>;
  readonly #waiting = new Set<() => void>();

  constructor(raw: WebSocket) {
    this.raw = raw;
    this.closed = new Promise((resolve) => raw.once('close', resolve));
    raw.on('error', () => undefined);
    raw.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) throw new Error('A JMAP server sends text.');
      this.messages.push(JSON.parse(data.toString('utf8')) as JsonMap);
      for (const look of this.#waiting) look();
    });
  }

  /** Opens a socket, or rejects with the HTTP status that refused it. */
  static open(client: Client, options: Handshake = {}): Promise<JmapSocket> {
    const ticket = options.ticket ?? null;
    const query = ticket === null ? '' : `?ticket=${ticket}`;
    const url = `${client.url.replace(/^http/, 'ws')}/jmap/ws${query}`;
    const authorization = ticket === null ? { authorization: `Bearer ${client.token}` } : {};
    const raw = new WebSocket(url, [...(options.protocols ?? ['jmap'])], {
      headers: { ...authorization, ...options.headers },
      perMessageDeflate: options.compress ?? false,
    });
    const socket = new JmapSocket(raw);
    return within(
      'The handshake',
      new Promise((resolve, reject) => {
        raw.once('open', () => resolve(socket));
        raw.once('unexpected-response', (_request, response) => {
          reject(new Error(`HTTP ${response.statusCode}`));
          raw.terminate();
        });
        raw.once('error', reject);
      }),
    );
  }

  send(message: unknown): void {
    this.raw.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The first message, of those that came or come, that matches. */
  find(matches: (message: JsonMap) => boolean): Promise<JsonMap> {
    const found = new Promise<JsonMap>((resolve) => {
      const look = (): void => {
        const message = this.messages.find(matches);
        if (message === undefined) return;
        this.#waiting.delete(look);
        resolve(message);
      };
      this.#waiting.add(look);
      look();
    });
    return within('The message', found);
  }

  /** The same for many requests on one socket: what was found is forgotten. */
  async take(matches: (message: JsonMap) => boolean): Promise<JsonMap> {
    const message = await this.find(matches);
    this.messages.splice(this.messages.indexOf(message), 1);
    return message;
  }

  /** Sends a request and resolves to what answers its id. */
  request(id: string, using: readonly string[], methodCalls: readonly unknown[]): Promise<JsonMap> {
    this.send({ '@type': 'Request', id, using, methodCalls });
    return this.find((message) => message['requestId'] === id);
  }

  close(): void {
    this.raw.terminate();
  }
}
