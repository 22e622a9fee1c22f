import { type EdgeResponse, endsConnection } from './edge-response.js';
import { securityHeaders } from './security-headers.js';

const SECURITY: readonly string[] = securityHeaders();

/** Names and values in turn: security headers, request id, CORS. Every answer begins with them. */
export function edgeHeaders(res: EdgeResponse): string[] {
  const headers = SECURITY.slice();
  headers.push('X-Request-Id', res.requestId, ...res.cors);
  if (endsConnection(res)) headers.push('Connection', 'close');
  return headers;
}
