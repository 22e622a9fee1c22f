import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './reply.js';

/** Header lines that a request may have. */
const MAX_HEADERS = 100;
/**
 * `uri-host [":" port]` (RFC 9110 7.2, RFC 3986 3.2.2); the literals of future IP versions are left
 * out.
 */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})*|\[[\dA-Fa-f:.]+\])(?::\d*)?$/;
/** The scheme and the authority of a target in absolute form (RFC 9112 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/**
 * Returns the path of a request target, without its query. Rewrites a target in absolute form: its
 * authority takes the place of the Host header (RFC 9112 3.2.2), and the path and query remain as
 * the target.
 */
export function readTarget(req: IncomingMessage): string {
  let url = req.url ?? '/';
  if (url.charCodeAt(0) !== 47) {
    const authority = ABSOLUTE.exec(url);
    if (authority !== null) {
      // No http URI is without a host (RFC 9110 4.2.1): a space is none.
      req.headers.host = authority[1] || ' ';
      url = url.slice(authority[0].length);
    }
    if (!url.startsWith('/')) url = `/${url}`;
    req.url = url;
  }
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/**
 * Returns the error of a head that this server and a proxy in front of it could understand
 * differently, null where nothing is wrong:
 *
 * - 431: too many header lines
 * - 400: not one Host, or a Host that is none (RFC 9112 3.2)
 * - 501: a transfer coding besides `chunked`; 400: one in HTTP/1.0 (RFC 9112 6.1)
 */
export function findHeadError(req: IncomingMessage): HttpError | null {
  const { rawHeaders, headers } = req;
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return new HttpError(431, `A request has at most ${MAX_HEADERS} header lines.`);
  }
  return findHostError(req) ?? findCodingError(req, headers['transfer-encoding']);
}

function findHostError({ rawHeaders, headers, httpVersion }: IncomingMessage): HttpError | null {
  const hosts = countHeader(rawHeaders, 'host');
  // Node refuses requests without a Host, but no handshakes.
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    return new HttpError(400, 'Send one Host header.');
  }
  const { host } = headers;
  if (host === undefined || HOST.test(host)) return null;
  return new HttpError(400, 'Host must be a host with an optional port.');
}

/**
 * Node's parser takes codings in front of `chunked`, an empty list of them, and any in HTTP/1.0.
 */
function findCodingError(
  { httpVersion }: IncomingMessage,
  coding: string | undefined,
): HttpError | null {
  if (coding === undefined) return null;
  if (httpVersion === '1.0') {
    return new HttpError(400, 'Transfer-Encoding has no meaning in HTTP/1.0.');
  }
  if (coding.trim().toLowerCase() === 'chunked') return null;
  return new HttpError(501, 'Transfer-Encoding must be chunked.');
}

/** Returns how many lines of a head have a name, given in small letters. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at];
    if (raw?.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Ids that a proxy may hand in; anything else could forge lines in logs. */
const SANE = /^[A-Za-z0-9._-]{8,64}$/;

/** Makes request ids: the given one where it is sane, else a new one, unique over processes. */
export function createRequestIds(): (proxyId: string | undefined) => string {
  const process = randomBytes(6).toString('hex');
  let count = 0;
  return (proxyId) => {
    if (proxyId !== undefined && SANE.test(proxyId)) return proxyId;
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
}
