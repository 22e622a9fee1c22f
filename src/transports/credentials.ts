import type { IncomingMessage } from 'node:http';

/** What a request's Authorization header says. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'several' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'bearer'; readonly token: string };

const NONE: Credentials = Object.freeze({ kind: 'none' });
const SEVERAL: Credentials = Object.freeze({ kind: 'several' });
const MALFORMED: Credentials = Object.freeze({ kind: 'malformed' });

/** RFC 6750 2.1: the b64token of a bearer credential; the scheme's name in any case (RFC 9110 11.1). */
const BEARER = /^bearer +[A-Za-z0-9._~+/-]+=*$/i;
const SCHEME = /^bearer +./i;
const MAX_TOKEN = 1024;

/** D3: two Authorization headers are refused; Node alone would keep the first in silence. */
export function readCredentials(req: IncomingMessage): Credentials {
  const value = req.headers.authorization;
  if (value === undefined) return NONE;
  if (countHeader(req.rawHeaders, 'authorization') > 1) return SEVERAL;
  const trimmed = value.trim();
  if (BEARER.test(trimmed)) {
    const token = trimmed.slice(trimmed.lastIndexOf(' ') + 1);
    if (token.length <= MAX_TOKEN) return { kind: 'bearer', token };
  }
  // Another scheme is no token at all; a bearer one that can't be read is a wrong token.
  return SCHEME.test(value) ? MALFORMED : NONE;
}

function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i];
    if (raw !== undefined && raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}
