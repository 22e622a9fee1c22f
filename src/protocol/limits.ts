import { RequestError } from './errors.js';
import type { RatePolicy } from './rate-fields.js';

/** Returns a request-level `limit` error (RFC 8620 3.6.1), as both transports give it. */

export function requestTooLarge(maximum: number): RequestError {
  const detail = `The request is larger than maxSizeRequest (${maximum} octets).`;
  return new RequestError('limit', detail, { limit: 'maxSizeRequest' });
}

export function tooManyRequests(maximum: number): RequestError {
  const detail = `More than maxConcurrentRequests (${maximum}) requests of this user run at once.`;
  return new RequestError('limit', detail, { limit: 'maxConcurrentRequests' });
}

/** Returns a 429: a rule for users or addresses refuses requests for `retryAfter` seconds. */
export function tooFast(rule: RatePolicy, retryAfter: number): RequestError {
  const { name, count, seconds } = rule;
  const detail = `The limit "${name}" is ${count} in ${seconds} s. Try again in ${retryAfter} s.`;
  return new RequestError('limit', detail, { limit: name, status: 429, retryAfter });
}

/** Returns a 429: connections that stay open are bounded by numbers of our own (RFC 8620 8.5). */
export function tooManyOpen(limit: string, maximum: number): RequestError {
  const detail = `This user has ${maximum} connections of this kind open already.`;
  return new RequestError('limit', detail, { limit, status: 429 });
}
