/** How a route is authenticated. `ticket`: by a bearer token or by `?ticket=` (D25). */
export type RouteAccess = 'open' | 'bearer' | 'ticket' | 'metrics';

export interface Route {
  /** The path as a template: the label in logs and metrics. */
  readonly template: string;
  /** HEAD comes with GET. */
  readonly methods: readonly string[];
  readonly access: RouteAccess;
  /** The Allow header's value. */
  readonly allow: string;
}

function route(template: string, method: 'GET' | 'POST', access: RouteAccess): Route {
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  return Object.freeze({ template, methods, access, allow: [...methods, 'OPTIONS'].join(', ') });
}

/** What stands for a path that isn't served. */
export const UNKNOWN_ROUTE = route('unknown', 'GET', 'open');

/** The edge answers these two itself, in front of Express. */
export const API = route('/jmap', 'POST', 'bearer');
export const WEBSOCKET = route('/jmap/ws', 'GET', 'open');

const UPLOAD = route('/jmap/upload/:accountId', 'POST', 'bearer');
const DOWNLOAD = route('/jmap/download/:accountId/:blobId/:name', 'GET', 'bearer');
const SESSION = route('/.well-known/jmap', 'GET', 'bearer');

/** Paths below the base path (D1). */
const UNDER_BASE: ReadonlyMap<string, Route> = new Map(
  [
    API,
    WEBSOCKET,
    SESSION,
    route('/jmap/reference', 'GET', 'bearer'),
    route('/jmap/eventsource', 'GET', 'ticket'),
    route('/jmap/ticket', 'POST', 'bearer'),
  ].map((entry) => [entry.template, entry]),
);

/** Paths at the root, whatever the base path is: for operators, and for autodiscovery (RFC 8620 2.2). */
const AT_ROOT: ReadonlyMap<string, Route> = new Map(
  [
    SESSION,
    route('/healthz', 'GET', 'open'),
    route('/readyz', 'GET', 'open'),
    route('/metrics', 'GET', 'metrics'),
  ].map((entry) => [entry.template, entry]),
);

/** Every route, once. */
export const ROUTES: readonly Route[] = [
  ...new Set([...UNDER_BASE.values(), UPLOAD, DOWNLOAD, ...AT_ROOT.values()]),
];

const UPLOAD_PATH = /^\/jmap\/upload\/[^/]+$/;
const DOWNLOAD_PATH = /^\/jmap\/download\/[^/]+\/[^/]+\/[^/]*$/;

/** A function from the path of a request (no query) to its route, or null where nothing is served. */
export function createRouter(basePath: string): (path: string) => Route | null {
  const apiPath = `${basePath}/jmap`;
  return (path) => {
    if (path === apiPath) return API;
    if (path.startsWith(`${basePath}/`)) {
      const below = path.slice(basePath.length);
      const found = UNDER_BASE.get(below);
      if (found !== undefined) return found;
      if (UPLOAD_PATH.test(below)) return UPLOAD;
      if (DOWNLOAD_PATH.test(below)) return DOWNLOAD;
    }
    return AT_ROOT.get(path) ?? null;
  };
}
