import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Seldom } from '../runtime/seldom.js';
import { Admission } from './admission.js';
import { ApiEndpoint } from './api.js';
import { createApp } from './app.js';
import { BaseUrls } from './base-url.js';
import { downloadPage } from './download.js';
import { Edge } from './edge.js';
import { EdgeResponse } from './edge-response.js';
import { EventSources } from './event-source.js';
import { healthPage, metricsPage, readyPage } from './health.js';
import { logoutPage } from './logout.js';
import { Pipeline } from './pipeline.js';
import { referencePage } from './reference.js';
import { resourceMetadataPage } from './resource-metadata.js';
import { sessionPage } from './session-page.js';
import type { Shared, Timings } from './shared.js';
import { SlowClients } from './slow-clients.js';
import { ticketPage } from './ticket.js';
import { asksForWebSocket, createUpgrade, type UpgradeTarget } from './upgrade.js';
import { uploadPage } from './upload.js';

const MAX_HEADER_OCTETS = 16_384;
/** How often Node looks for headers that are late, ms. */
const CHECK_INTERVAL = 1000;

/** Returns all endpoints over node:http. `target` takes connections that become WebSockets. */
export function createHttpServer(shared: Shared, target: UpgradeTarget) {
  const { timings } = shared;
  const eventSources = new EventSources(shared);
  const edge = assembleEdge(shared, eventSources);
  const pipeline = new Pipeline(edge.handle);
  // The connection of a handshake behind another request is still that request's.
  const isUpgrade = (req: IncomingMessage): boolean =>
    asksForWebSocket(req) && pipeline.current(req.socket) === null;
  const server = createServer(
    {
      ...serverOptions(timings),
      // Versions of Node that don't ask hand every upgrade over; `handBack` gives some back.
      ...{ shouldUpgradeCallback: isUpgrade },
    },
    pipeline.answer,
  );
  answerHalfClosed(server);
  // Beyond a bound Node would drop headers in silence: `findHeadError` refuses such a request.
  server.maxHeadersCount = 0;
  // Without this Node would ask for a body before its length or its sender have been looked at.
  server.on('checkContinue', pipeline.answer);
  const upgrade = createUpgrade(edge, target);
  const slowClients = new SlowClients(server, pipeline, timings);
  server.on('upgrade', (req, duplex, head) => {
    const socket = duplex as Socket;
    if (isUpgrade(req)) {
      slowClients.forget(socket);
      upgrade(req, socket, head);
      return;
    }
    pipeline.handBack(server, { req, socket, octets: head });
  });

  return {
    listen: (host: string, port: number) => listen(server, host, port),
    /** Stops accepting, lets requests finish for at most `grace` ms, ends streams and sockets. */
    async close(grace: number): Promise<void> {
      edge.drain();
      eventSources.end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      slowClients.dropUnused();
      const sockets = target.close();
      const late = setTimeout(() => {
        target.terminate();
        server.closeAllConnections();
      }, grace);
      await Promise.all([closed, sockets]);
      clearTimeout(late);
      slowClients.close();
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
    // Bodies have a rule of their own: an upload may take long as long as it moves (SlowClients).
    requestTimeout: 0,
    keepAliveTimeout: timings.keepAlive,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL, timings.headers),
  };
}

/** Returns a function that logs why logout tokens are refused, each reason seldom. */
function refusedLogouts({ log }: Shared): (reason: string) => void {
  const refusals = new Seldom(REASONS);
  return (reason) => {
    const fields = refusals.admit(reason);
    if (fields !== null) log.warn({ reason, ...fields }, 'a logout token was refused');
  };
}

/** Reasons of refusals that are told apart. */
const REASONS = 16;

function assembleEdge(shared: Shared, eventSources: EventSources): Edge {
  const baseUrls = new BaseUrls(shared);
  const basePath = baseUrls.path;
  const admission = new Admission(shared);
  const app = createApp(basePath, {
    session: sessionPage(shared.sessions, baseUrls),
    reference: referencePage(shared.registry.capabilities),
    upload: uploadPage(shared),
    download: downloadPage(shared),
    ticket: ticketPage(shared),
    resourceMetadata: resourceMetadataPage(shared.identity.metadata),
    logout: logoutPage({
      ...{ judge: shared.identity.judgeLogout, admission, onRefused: refusedLogouts(shared) },
    }),
    healthz: healthPage(),
    readyz: readyPage(shared),
    metrics: metricsPage(shared.metrics),
  });
  return new Edge({
    ...{ shared, admission, basePath, api: new ApiEndpoint(shared) },
    ...{ eventSource: eventSources.page, fallback: app },
  });
}

/** Resolves to the address as a URL without a path. Rejects as `listen` does (EADDRINUSE). */
function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, port: boundPort } = server.address() as AddressInfo;
      resolve(`http://${address.includes(':') ? `[${address}]` : address}:${boundPort}`);
    });
  });
}
