import { HttpError } from './reply.js';

/**
 * Returns the 403 for a token that reaches too little (RFC 6750 3.1). It names the scope that would
 * do, if there is one.
 */
export function insufficientScope(detail: string, scope: string | undefined): HttpError {
  const challenge = ['Bearer realm="jmap"', 'error="insufficient_scope"'];
  if (scope !== undefined) challenge.push(`scope="${scope}"`);
  return new HttpError(403, detail, ['WWW-Authenticate', challenge.join(', ')]);
}
