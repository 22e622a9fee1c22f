import { RequestError } from './errors.js';

/** Returns a request-level `limit` error (RFC 8620 3.6.1), as both transports give it. */

export function requestTooLarge(maximum: number): RequestError {
  const detail = `The request is larger than maxSizeRequest (${maximum} octets).`;
  return new RequestError('limit', detail, { limit: 'maxSizeRequest' });
}

export function tooManyRequests(maximum: number): RequestError {
  const detail = `More than maxConcurrentRequests (${maximum}) requests of this user run at once.`;
  return new RequestError('limit', detail, { limit: 'maxConcurrentRequests' });
}

/** Returns a 429: connections that stay open are bounded by numbers of our own (RFC 8620 8.5). */
export function tooManyOpen(limit: string, maximum: number): RequestError {
  const detail = `This user has ${maximum} connections of this kind open already.`;
  return new RequestError('limit', detail, { limit, status: 429 });
}
