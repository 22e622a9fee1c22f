import { UnavailableError } from '../protocol/errors.js';
import type { Hub } from '../push/hub/hub.js';
import type { Log } from '../runtime/log.js';
import type { Page } from './app.js';
import { send } from './edge-response.js';
import { sendJson } from './reply.js';
import type { Metrics } from './shared.js';

/** Answers GET /healthz: the process lives and its event loop turns. */
export function healthPage(): Page {
  return async ({ res }) => sendJson(res, 200, { status: 'ok' });
}

/** The parts of the process that GET /readyz asks. */
export interface Readiness {
  ready(): Promise<void>;
  readonly hub: Pick<Hub, 'problem'>;
  readonly log: Log;
}

/**
 * Answers GET /readyz: 200 when requests can be served, 503 while the database can't be reached,
 * its files were removed or replaced, or the server stops. `reason` is what clients are told too,
 * or why something else is degraded; the log has the causes behind it.
 */
export function readyPage({ ready, hub, log }: Readiness): Page {
  return async ({ res }) => {
    try {
      await ready();
    } catch (error) {
      log.warn({ requestId: res.requestId, err: error }, 'not ready');
      const reason = error instanceof UnavailableError ? { reason: error.message } : {};
      sendJson(res, 503, { status: 'unavailable', ...reason }, ['Retry-After', '1']);
      return;
    }
    const { problem: reason } = hub;
    sendJson(res, 200, reason === null ? { status: 'ready' } : { status: 'degraded', reason });
  };
}

/** Answers GET /metrics in the Prometheus text format. The edge has checked METRICS_TOKEN. */
export function metricsPage(metrics: Metrics): Page {
  return async ({ res }) => {
    const text = await metrics.text();
    send(res, 200, ['Content-Type', metrics.contentType, 'Cache-Control', 'no-store'], text);
  };
}
