import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Slots } from '../runtime/budgets.js';
import { ApiEndpoint } from './api.js';
import { createApp } from './app.js';
import { authenticateRequest } from './authenticate-request.js';
import { createBaseUrls } from './base-url.js';
import { downloadPage } from './download.js';
import { Edge } from './edge.js';
import { createCors, EdgeResponse } from './edge-response.js';
import { eventSourcePage } from './event-source.js';
import type { EventStream } from './event-stream.js';
import { healthPage, metricsPage, readyPage } from './health.js';
import { Pipeline } from './pipeline.js';
import { referencePage } from './reference.js';
import { createRouter } from './routes.js';
import type { Timings } from './services.js';
import { sessionPage } from './session.js';
import type { Shared } from './shared.js';
import { SlowBodies } from './slow-bodies.js';
import { StalledReaders } from './stalled-readers.js';
import { ticketPage } from './ticket.js';
import { asksForWebSocket, createUpgrade, type UpgradeTarget } from './upgrade.js';
import { uploadPage } from './upload.js';

/** RFC 8620 8.5: event sources that one user may have open. */
const MAX_STREAMS = 32;
const MAX_HEADER_OCTETS = 16_384;
/** How often Node looks for headers that are late, ms. */
const CHECK_INTERVAL = 1000;

export interface HttpServer {
  /** Resolves to the address listened on, as a URL without a path. Rejects as `listen` does (EADDRINUSE). */
  listen(host: string, port: number): Promise<string>;
  /** Stops accepting, lets requests finish for at most `grace` ms, ends streams and sockets. */
  close(grace: number): Promise<void>;
}

/** All endpoints over node:http. `target` takes connections that become WebSockets. */
export function createHttpServer(shared: Shared, target: UpgradeTarget): HttpServer {
  const { services, timings } = shared;
  const slowBodies = new SlowBodies(timings);
  const streams = new Set<EventStream>();
  const cors = createCors(services.corsOrigins);
  const edge = assembleEdge(shared, { slowBodies, streams, cors });
  const pipeline = new Pipeline(edge.handle);
  // The connection of a handshake behind another request is still that request's.
  const isUpgrade = (req: IncomingMessage): boolean =>
    asksForWebSocket(req) && pipeline.current(req.socket) === null;
  const server = createServer(
    {
      ...serverOptions(timings),
      // Asked on versions of Node that have it; what the others hand over is handed back.
      ...{ shouldUpgradeCallback: isUpgrade },
    },
    pipeline.answer,
  );
  answerHalfClosed(server);
  // Beyond a bound Node would drop headers in silence: `findHeadError` refuses such a request.
  server.maxHeadersCount = 0;
  // Without this Node would ask for a body before its length or its sender have been looked at.
  server.on('checkContinue', pipeline.answer);
  const upgrade = createUpgrade({ services, edge, cors, target });
  const readers = new StalledReaders(server, timings.stalledReader);
  server.on('upgrade', (req, duplex, head) => {
    const socket = duplex as Socket;
    if (isUpgrade(req)) {
      readers.forget(socket);
      upgrade(req, socket, head);
      return;
    }
    pipeline.handBack(server, { req, socket, rest: head });
  });

  return {
    listen: (host, port) => listen(server, host, port),
    async close(grace) {
      edge.drain();
      for (const stream of streams) stream.end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const sockets = target.close();
      const late = setTimeout(() => {
        target.terminate();
        server.closeAllConnections();
      }, grace);
      await Promise.all([closed, sockets]);
      clearTimeout(late);
      slowBodies.close();
      readers.close();
      shared.close();
    },
  };
}

/**
 * Has clients answered that end their side of a connection behind a request (RFC 9112 9.6 lets
 * them). Node drops their requests otherwise, although some have been run by then. The member has
 * no underscore, but no documentation either.
 */
function answerHalfClosed(server: Server & { httpAllowHalfOpen?: boolean }): void {
  server.httpAllowHalfOpen = true;
}

function serverOptions(timings: Timings) {
  return {
    ServerResponse: EdgeResponse,
    maxHeaderSize: MAX_HEADER_OCTETS,
    headersTimeout: timings.headers,
    // Bodies have a rule of their own: an upload may take long as long as it moves (SlowBodies).
    requestTimeout: 0,
    keepAliveTimeout: timings.keepAlive,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL, timings.headers),
  };
}

interface EdgeParts {
  readonly slowBodies: SlowBodies;
  readonly streams: Set<EventStream>;
  readonly cors: ReturnType<typeof createCors>;
}

function assembleEdge(shared: Shared, { slowBodies, streams, cors }: EdgeParts): Edge {
  const { services, timings } = shared;
  const { limits, metrics, log } = services;
  const baseUrls = createBaseUrls(services);
  const app = createApp({
    basePath: baseUrls.path,
    session: sessionPage(services.sessions, baseUrls),
    reference: referencePage(services.registry.capabilities),
    upload: uploadPage({ services, slots: new Slots(limits.maxConcurrentUpload), slowBodies }),
    download: downloadPage(services),
    eventSource: eventSourcePage({
      feed: shared.feed,
      live: shared.live,
      dataTypes: services.registry.dataTypes,
      slots: new Slots(MAX_STREAMS),
      maxStreams: MAX_STREAMS,
      metrics,
      streams,
    }),
    ticket: ticketPage(services, shared.requests),
    healthz: healthPage(),
    readyz: readyPage(services.ready, log),
    metrics: metricsPage(metrics),
    fail: (req, res, error) => edge.fail(req, res, error),
  });
  const api = new ApiEndpoint({
    api: shared.api,
    slots: shared.requests,
    longRequests: shared.longRequests,
    conductor: services.conductor,
    requestTimeout: limits.requestTimeout,
    authenticate: (req) => authenticateRequest(services, req, 'bearer'),
    maxConcurrentRequests: limits.maxConcurrentRequests,
    answers: shared.answers,
    reader: { maximum: limits.maxSizeRequest, budget: shared.budget, slowBodies },
  });
  const edge: Edge = new Edge({
    services,
    cors,
    router: createRouter(baseUrls.path),
    api,
    rest: app,
    linger: timings.linger,
  });
  return edge;
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, port: taken } = server.address() as AddressInfo;
      resolve(`http://${address.includes(':') ? `[${address}]` : address}:${taken}`);
    });
  });
}
