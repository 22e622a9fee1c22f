import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Request as JmapRequest } from '../../src/transport/transport.js';
import { SocketRelay } from './socket-relay.js';

/**
 * A request as the client sent it. A request within a WebSocket is one of POST to the API, too: its
 * text has no id.
 */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * The fate of a request: it passes, or gets this answer. 'drop' cuts its connection before the
 * server sees it, and 'lose' after the server has answered. 'hang' never answers. A stream is an
 * event source that stays open behind this text, unless it ends.
 */
export type Fate =
  | 'pass'
  | 'drop'
  | 'lose'
  | 'hang'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: object;
    }
  | { readonly stream: string; readonly ends?: true };

/** A server in front of another, which does to requests what a test says. */
export interface FaultyProxy {
  readonly url: string;
  /** All requests since the test began. */
  readonly seen: readonly Seen[];
  /** Requests to the API, parsed. */
  api(): readonly JmapRequest[];
  /** Opening handshakes of WebSockets. */
  handshakes(): readonly Seen[];
  /** Cuts all connections. */
  cut(): void;
  /** Passes no message of a WebSocket on, from the connections that are open. */
  mute(): void;
  /** Closes all WebSockets with a code. */
  closeSockets(code: number): void;
  /** Requests that their client left before an answer. */
  left(): number;
  /** Decides the fate of each request; the next ones pass where there is none. */
  decide(judge: (seen: Seen) => Fate): void;
  /** Fates of the next requests to the API; further ones pass. */
  decideNext(...fates: readonly Fate[]): void;
}

/** Puts a proxy in front of a server for the tests of a file. */
export function useFaultyProxy(target: () => string): () => FaultyProxy {
  const seen: Seen[] = [];
  let judge: (seen: Seen) => Fate = () => 'pass';
  let left = 0;
  const server = createServer((req, res) => {
    res.once('close', () => {
      if (!res.writableEnded) left += 1;
    });
    void readBody(req).then((body) => {
      if (body === null) return;
      const { method = '', url: path = '', headers } = req;
      const fate = take({ method, path, headers, text: body.toString('utf8') });
      if (fate === 'drop') req.socket.destroy();
      else if (typeof fate === 'object' && 'stream' in fate) startStream(res, fate);
      else if (typeof fate === 'object') answer(res, fate);
      else if (fate !== 'hang') forward(target(), req, body, fate === 'lose' ? null : res);
    });
  });
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const take = (one: Seen): Fate => {
    seen.push(one);
    return judge(one);
  };
  const relay = new SocketRelay(target, take);
  server.on('upgrade', (req, socket: Socket, head) => relay.accept(req, socket, head));
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  afterEach(() => {
    judge = () => 'pass';
    seen.length = 0;
    left = 0;
  });
  return () => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    api: () => seen.filter(isApi).map(({ text }) => JSON.parse(text) as JmapRequest),
    handshakes: () => seen.filter(({ path }) => path.startsWith('/jmap/ws')),
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    mute: () => relay.mute(),
    closeSockets: (code) => relay.close(code),
    left: () => left,
    decide: (next) => {
      judge = next;
    },
    decideNext: (...fates) => {
      const rest = [...fates];
      judge = (one) => (isApi(one) ? (rest.shift() ?? 'pass') : 'pass');
    },
  });
}

function isApi({ method, path }: Seen): boolean {
  return method === 'POST' && path === '/jmap';
}

/** Resolves to the body; null where the client left. */
async function readBody(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function startStream(
  res: ServerResponse,
  { stream, ends }: Extract<Fate, { stream: string }>,
): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  if (ends) res.end(stream);
  else res.write(stream);
}

function answer(
  res: ServerResponse,
  { status, headers, body }: Extract<Fate, { status: number }>,
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(body === undefined ? '' : JSON.stringify(body));
}

/** Sends a request on. Without a response, cuts the connection once the server has answered. */
function forward(
  target: string,
  req: IncomingMessage,
  body: Buffer,
  res: ServerResponse | null,
): void {
  const { method, url = '', headers } = req;
  const { 'transfer-encoding': _, ...kept } = headers;
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
  const onward = request(
    new URL(url, target),
    { method, headers: { ...kept, ...length } },
    (from) => {
      if (res === null) {
        from.resume().once('end', () => req.socket.destroy());
        return;
      }
      res.writeHead(from.statusCode ?? 500, from.headers);
      res.once('close', () => onward.destroy());
      from.pipe(res);
    },
  );
  onward.once('error', () => req.socket.destroy());
  onward.end(body);
}
