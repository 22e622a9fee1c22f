import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

export interface ProxyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  /** An event source's answer, which goes on for as long as both sides like. */
  readonly stream?: IncomingMessage;
}

/** Of an opening handshake of a WebSocket. */
export interface Offer {
  readonly protocols: readonly string[];
  readonly authorization: string;
}

/** One way for a server to be wrong, and the check that must notice. */
export interface Fault {
  /** The act of the server. */
  readonly name: string;
  /** Ids of checks: each must fail by it. */
  readonly checks: readonly string[];
  /** The request that reaches the server in place of the sent one. */
  readonly request?: (request: ProxyRequest) => ProxyRequest;
  /** The answer that the client gets in place of the server's. */
  readonly answer?: (answer: ProxyAnswer, request: ProxyRequest) => ProxyAnswer;
  /**
   * The same for messages of a WebSocket: one or more in its place, or a code to close the
   * connection with.
   */
  readonly message?: (text: string, from: 'client' | 'server') => string | number | string[];
  /** The opening handshake that reaches the server in place of the client's. */
  readonly handshake?: (offer: Offer) => Offer;
  /** The subprotocol, and further headers, that the handshake is answered with. */
  readonly protocol?: string;
  readonly switching?: readonly string[];
  readonly binary?: (octets: Buffer) => string;
  readonly pong?: (octets: Buffer) => Buffer;
  /** The code that a connection is closed with; null breaks it off. */
  readonly closed?: (code: number) => number | null;
  /**
   * The event that an event source sends in place of its own: a field a line, events apart by an
   * empty line.
   */
  readonly event?: (event: string) => string;
}

/** Stands between the runner and a server and does what a broken server would. */
export class FaultyProxy {
  readonly url: string;
  fault: Fault | null = null;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  /** The protocol that the server chose for a handshake. */
  readonly #protocols = new WeakMap<IncomingMessage, string>();

  private constructor(server: Server, target: URL) {
    this.#server = server;
    // A value that a real server must judge itself is passed on as it is.
    this.#sockets = new WebSocketServer({
      noServer: true,
      autoPong: false,
      skipUTF8Validation: true,
      perMessageDeflate: true,
      handleProtocols: (_, req) => this.fault?.protocol ?? this.#protocols.get(req) ?? false,
    });
    this.#sockets.on('headers', (headers) => headers.push(...(this.fault?.switching ?? [])));
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
    server.on('request', (req, res) => {
      void this.#pass(req, target).then(
        ({ status, headers, body, stream }) => {
          res.writeHead(status, { ...headers } as never);
          if (stream === undefined) res.end(req.method === 'HEAD' ? undefined : body);
          else this.#flow(stream, res);
        },
        (error: Error) => {
          res.writeHead(502);
          res.end(error.message);
        },
      );
    });
    server.on('upgrade', (req, socket, head) => {
      this.#upgrade(req, socket, head, target);
    });
  }

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultyProxy(server, new URL(target));
  }

  async close(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The Host header stays: the session's URLs lead to the proxy. */
  async #pass(req: IncomingMessage, target: URL): Promise<ProxyAnswer> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { fault } = this;
    const received: ProxyRequest = {
      method: req.method ?? 'GET',
      path: req.url ?? '/',
      headers: req.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    };
    const sent = fault?.request?.(received) ?? received;
    const answer = await exchange(target, sent, req.rawHeaders);
    return fault?.answer?.(answer, received) ?? answer;
  }

  /** Events as they come, until either side ends. */
  #flow(stream: IncomingMessage, res: ServerResponse): void {
    let text = '';
    res.flushHeaders();
    stream.setEncoding('utf8');
    stream.on('data', (more: string) => {
      const events = (text + more).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) res.write(`${this.fault?.event?.(event) ?? event}\n\n`);
    });
    stream.on('error', () => res.destroy());
    stream.on('end', () => res.end());
    res.on('close', () => stream.destroy());
  }

  /** The server is asked first: what it refuses is refused. */
  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, target: URL): void {
    const { authorization = '', host = '' } = req.headers;
    const offered = (req.headers['sec-websocket-protocol'] ?? '').split(',');
    const extensions = String(req.headers['sec-websocket-extensions'] ?? '');
    const compress = extensions.startsWith('permessage-deflate');
    const offer: Offer = {
      protocols: offered.map((name) => name.trim()).filter((name) => name !== ''),
      authorization,
    };
    const sent = this.fault?.handshake?.(offer) ?? offer;
    const others = compress || extensions === '' ? {} : { 'sec-websocket-extensions': extensions };
    const server = new WebSocket(`ws://${target.host}${req.url}`, [...sent.protocols], {
      headers: { authorization: sent.authorization, host, ...others },
      perMessageDeflate: compress,
    });
    socket.on('error', () => server.terminate());
    server.on('error', () => socket.destroy());
    server.once('unexpected-response', (_, { statusCode, statusMessage }) => {
      socket.end(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nContent-Length: 0\r\n\r\n`);
      server.terminate();
    });
    server.once('open', () => {
      this.#protocols.set(req, server.protocol);
      this.#sockets.handleUpgrade(req, socket, head, (client) => this.#join(client, server));
    });
  }

  #join(client: WebSocket, server: WebSocket): void {
    const pass = (data: Buffer, from: 'client' | 'server', to: WebSocket): void => {
      const { fault } = this;
      const told = fault?.message?.(data.toString('utf8'), from);
      if (typeof told === 'number') {
        client.close(told);
        return;
      }
      if (to.readyState !== WebSocket.OPEN) return;
      if (told === undefined) to.send(data, { binary: false });
      else for (const text of [told].flat()) to.send(text);
    };
    client.on('message', (data: Buffer, isBinary) => {
      const text = isBinary ? this.fault?.binary?.(data) : undefined;
      if (text !== undefined) server.send(text);
      else if (isBinary) server.send(data, { binary: true });
      else pass(data, 'client', server);
    });
    server.on('message', (data: Buffer) => pass(data, 'server', client));
    client.on('ping', (data) => server.ping(data));
    server.on('pong', (data) => client.pong(this.fault?.pong?.(data) ?? data));
    if (this.fault?.closed?.(1000) === null) client.close = () => client.terminate();
    client.on('close', () => server.terminate());
    server.on('close', (code) => {
      const told = this.fault?.closed === undefined ? code : this.fault.closed(code);
      if (told === null || told === 1006) client.terminate();
      else client.close(...(told === 1005 ? [] : [told]));
    });
    client.on('error', () => server.terminate());
  }
}

/** Repeated headers are passed on repeated; a body whose length a fault changed has its own. */
function exchange(
  target: URL,
  { method, path, headers, body }: ProxyRequest,
  rawHeaders: readonly string[],
): Promise<ProxyAnswer> {
  const raw: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower === 'content-length' || lower === 'transfer-encoding' || lower === 'connection')
      continue;
    const now = headers[lower];
    if (now !== undefined) raw.push(name, now.includes(value) ? value : now);
  }
  if (body.length > 0 || method === 'POST') raw.push('content-length', String(body.length));
  return new Promise((resolve, reject) => {
    const req = forward(
      { host: target.hostname, port: target.port, method, path, headers: raw as never },
      (res) => {
        if (res.headers['content-type']?.startsWith('text/event-stream') === true) {
          const { 'transfer-encoding': _, connection: __, ...kept } = res.headers;
          const headers = kept as Record<string, string>;
          const body = Buffer.alloc(0);
          resolve({ status: res.statusCode ?? 0, headers, body, stream: res });
          return;
        }
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const { 'transfer-encoding': _, connection: __, ...kept } = res.headers;
          const whole = Buffer.concat(chunks);
          const length = method === 'HEAD' ? {} : { 'content-length': String(whole.length) };
          resolve({
            status: res.statusCode ?? 0,
            headers: { ...(kept as Record<string, string>), ...length },
            body: whole,
          });
        });
      },
    );
    req.on('error', reject);
    req.end(body);
  });
}
