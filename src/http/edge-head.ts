import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import { type EdgeResponse, endsConnection } from './edge-response.js';

const SECURITY: readonly string[] = securityHeaders();

/** Names and values in turn: security headers, request id, CORS. Every answer begins with them. */
export function edgeHeaders(res: EdgeResponse): string[] {
  const headers = SECURITY.slice();
  headers.push('X-Request-Id', res.requestId, ...res.cors);
  if (endsConnection(res)) headers.push('Connection', 'close');
  return headers;
}

/**
 * The headers that helmet sets, as names and values in turn. They are the same for every answer, so helmet runs
 * once and its result is replayed: as a middleware it would cost a tenth of a small request.
 */
function securityHeaders(): readonly string[] {
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  const middleware = helmet({
    // Nothing that this server sends may load, run or be framed: sandbox holds for downloads too (D22).
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], sandbox: [] },
    },
    referrerPolicy: { policy: 'no-referrer' },
    // Pages of other origins fetch blobs through CORS; the allow-list there decides.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  let failure: unknown;
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    failure = error;
  });
  if (failure !== undefined) throw failure;
  return headers;
}
