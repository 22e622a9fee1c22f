import { UnavailableError } from '../protocol/errors.js';
import type { Log } from '../runtime/log.js';
import type { Page } from './app.js';
import { send } from './edge-response.js';
import { sendJson } from './reply.js';
import type { Metrics } from './shared.js';

/** Answers GET /healthz: the process lives and its event loop turns. */
export function healthPage(): Page {
  return async ({ res }) => sendJson(res, 200, { status: 'ok' });
}

/**
 * Answers GET /readyz: 200 when requests can be served, 503 while the database can't be reached,
 * its files were removed or replaced, or the server stops. `reason` is what clients are told too;
 * the log has the causes behind it.
 */
export function readyPage(ready: () => Promise<void>, log: Log): Page {
  return async ({ res }) => {
    try {
      await ready();
    } catch (error) {
      log.warn({ requestId: res.requestId, err: error }, 'not ready');
      const reason = error instanceof UnavailableError ? { reason: error.message } : {};
      sendJson(res, 503, { status: 'unavailable', ...reason }, ['Retry-After', '1']);
      return;
    }
    sendJson(res, 200, { status: 'ready' });
  };
}

/** Answers GET /metrics in the Prometheus text format. The edge has checked METRICS_TOKEN. */
export function metricsPage(metrics: Metrics): Page {
  return async ({ res }) => {
    const text = await metrics.text();
    send(res, 200, ['Content-Type', metrics.contentType, 'Cache-Control', 'no-store'], text);
  };
}
