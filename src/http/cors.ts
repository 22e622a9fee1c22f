/** Headers that a page may send (RFC 8620 needs the first two, an EventSource in code the third). */
const ALLOW_HEADERS = 'Authorization, Content-Type, Last-Event-ID';
/** Headers that a page may read. */
const EXPOSE_HEADERS =
  'Accept-Ranges, Content-Disposition, Content-Range, Retry-After, WWW-Authenticate, X-Request-Id';
const MAX_AGE = '86400';

const NOTHING: readonly string[] = Object.freeze([]);

/** The CORS part of answers, as names and values in turn; D25's Origin check for WebSockets too. */
export interface Cors {
  /** For every answer, errors too. */
  headers(origin: string | undefined): readonly string[];
  /** For the answer to an OPTIONS request, besides `headers`. */
  preflight(origin: string | undefined, allow: string): readonly string[];
  allows(origin: string): boolean;
}

/** `origins` is an allow-list of origins, or holds `*`. No cookies are ever used, so no credentials mode either. */
export function createCors(origins: readonly string[]): Cors {
  const any = origins.includes('*');
  const listed = new Set(origins);
  const answers = new Map<string, readonly string[]>();
  const named = (origin: string): readonly string[] =>
    Object.freeze([
      'Access-Control-Allow-Origin',
      origin,
      'Access-Control-Expose-Headers',
      EXPOSE_HEADERS,
      ...(any ? [] : ['Vary', 'Origin']),
    ]);
  for (const origin of listed) answers.set(origin, named(origin));
  const anybody = any ? named('*') : null;
  // A cache must not give an answer without allow-origin to a page that would have got one.
  const nobody = origins.length === 0 ? NOTHING : Object.freeze(['Vary', 'Origin']);

  const allows = (origin: string): boolean => any || listed.has(origin);
  return {
    allows,
    headers(origin) {
      // Without an Origin too: a cache may give a download to a page later.
      if (anybody !== null) return anybody;
      return (origin === undefined ? undefined : answers.get(origin)) ?? nobody;
    },
    preflight(origin, allow) {
      if (origin === undefined || !allows(origin)) return NOTHING;
      return [
        'Access-Control-Allow-Methods',
        allow,
        'Access-Control-Allow-Headers',
        ALLOW_HEADERS,
        'Access-Control-Max-Age',
        MAX_AGE,
      ];
    },
  };
}
