import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { Fate, Seen } from './faulty-proxy.js';

type Message = Readonly<Record<string, unknown>>;

/** The two ends of a WebSocket, and the requests whose answers are to be lost. */
interface Pair {
  readonly client: WebSocket;
  readonly server: WebSocket;
  readonly lost: Set<unknown>;
  isMute: boolean;
}

/** Stands between the two ends of WebSockets, and does to requests what a judge says. */
export class SocketRelay {
  readonly #target: () => string;
  readonly #take: (seen: Seen) => Fate;
  readonly #server = new WebSocketServer({ noServer: true, handleProtocols: () => 'jmap' });
  readonly #pairs = new Set<Pair>();

  constructor(target: () => string, take: (seen: Seen) => Fate) {
    this.#target = target;
    this.#take = take;
  }

  accept(req: IncomingMessage, socket: Socket, head: Buffer): void {
    const { url: path = '', headers } = req;
    const refuse = (status: number): void => {
      socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    socket.on('error', () => socket.destroy());
    const fate = this.#take({ method: 'GET', path, headers, text: '' });
    if (fate === 'hang') return;
    if (fate === 'drop' || fate === 'lose') socket.destroy();
    else if (typeof fate === 'object') refuse('status' in fate ? fate.status : 200);
    else {
      const server = new WebSocket(new URL(path, this.#target()), 'jmap');
      server.on('error', () => socket.destroy());
      server.on('unexpected-response', (_, { statusCode = 500 }) => refuse(statusCode));
      server.on('open', () =>
        this.#server.handleUpgrade(req, socket, head, (client) => this.#join(client, server)),
      );
    }
  }

  mute(): void {
    for (const pair of this.#pairs) pair.isMute = true;
  }

  close(code: number): void {
    for (const { client } of this.#pairs) client.close(code);
  }

  #join(client: WebSocket, server: WebSocket): void {
    const pair: Pair = { client, server, lost: new Set(), isMute: false };
    this.#pairs.add(pair);
    client.on('message', (data) => this.#forward(pair, String(data)));
    server.on('message', (data) => {
      const { requestId } = JSON.parse(String(data)) as Message;
      if (pair.lost.has(requestId)) client.terminate();
      else if (!pair.isMute) client.send(String(data));
    });
    client.on('error', () => client.terminate());
    client.on('close', () => {
      this.#pairs.delete(pair);
      server.terminate();
    });
    server.on('close', (code) => {
      if (code === 1005 || code === 1006) client.terminate();
      else client.close(code);
    });
  }

  #forward({ client, server, lost, isMute }: Pair, text: string): void {
    if (isMute) return;
    const { '@type': type, id, ...request } = JSON.parse(text) as Message;
    const isRequest = type === 'Request';
    const fate = isRequest
      ? this.#take({ method: 'POST', path: '/jmap', headers: {}, text: JSON.stringify(request) })
      : 'pass';
    if (fate === 'drop') client.terminate();
    else if (typeof fate === 'object' && 'status' in fate) client.send(writeAnswer(id, fate));
    else if (fate !== 'hang') {
      if (fate === 'lose') lost.add(id);
      server.send(text);
    }
  }
}

/** Returns the message that says what an answer of HTTP says. */
function writeAnswer(requestId: unknown, fate: Extract<Fate, { status: number }>): string {
  const { status, headers = {}, body } = fate;
  const after = headers['retry-after'];
  const seconds = Number.isNaN(Number(after))
    ? (Date.parse(after ?? '') - Date.now()) / 1000
    : Number(after);
  const retry = after === undefined ? {} : { retryAfter: seconds };
  const type = status < 300 ? 'Response' : 'RequestError';
  const problem = status < 300 ? {} : { status, ...retry };
  return JSON.stringify({ ...problem, ...body, '@type': type, requestId });
}
