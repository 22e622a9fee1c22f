import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Reach, type ReachOptions } from '../../../src/outbound/network-reach.js';
import { parseSubnet } from '../../../src/outbound/subnet.js';
import { type Authority, type Certificate, makeAuthority } from '../../support/certificates.js';

/** A request as a push service saw it. */
export interface Received {
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Respond = (request: Received, response: ServerResponse) => void;

/** A push service of the test's own, over TLS. */
export interface Sink {
  readonly received: Received[];
  /** The most connections that it had at once. */
  readonly most: number;
  readonly connections: number;
  /** `https://HOST:PORT/PATH` */
  url(path: string, host?: string): URL;
  close(): Promise<void>;
}

export async function startSink(
  respond: Respond,
  certificate: Certificate,
  onSocket: (socket: Socket) => void = () => undefined,
): Promise<Sink> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const counts = { most: 0, connections: 0 };
  const server = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      const all = { host: headers.host ?? '', path, headers, body: Buffer.concat(chunks) };
      received.push(all);
      respond(all, response);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    counts.connections += 1;
    counts.most = Math.max(counts.most, sockets.size);
    socket.once('close', () => sockets.delete(socket));
    // A client that gives up is no failure of the test.
    socket.on('error', () => undefined);
  });
  server.on('secureConnection', onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    get most() {
      return counts.most;
    },
    get connections() {
      return counts.connections;
    },
    url: (path, host = '127.0.0.1') => new URL(`https://${host}:${port}${path}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A push service that nobody but its authority's friends trusts, at any `*.push.test`. */
export function makeIdentity(): { authority: Authority; certificate: Certificate } {
  const authority = makeAuthority();
  return { authority, certificate: authority.issue(['127.0.0.1', '*.push.test']) };
}

/** May reach this machine; all names lead to it. */
export function localReach(options: Partial<ReachOptions> = {}): Reach {
  const loopback = parseSubnet('127.0.0.0/8');
  return new Reach({
    allow: loopback === null ? [] : [loopback],
    deny: [],
    hosts: [],
    resolve: async () => ['127.0.0.1'],
    ...options,
  });
}
