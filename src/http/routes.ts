/** How a route is authenticated. `ticket`: by a bearer token or by `?ticket=`. */
export type RouteAccess = 'open' | 'bearer' | 'ticket' | 'metrics';

/**
 * Below the base path, at the root (for operators), both (autodiscovery, RFC 8620 2.2), or in front
 * of the base path (RFC 9728 3.1).
 */
type Place = 'base' | 'root' | 'both' | 'front';

export interface Route {
  /** The path as a template: the label in logs and metrics. */
  readonly template: string;
  /** HEAD comes with GET. */
  readonly methods: readonly string[];
  readonly access: RouteAccess;
  readonly place: Place;
  /** The Allow header's value. */
  readonly allow: string;
}

function route(
  template: string,
  method: 'GET' | 'POST',
  access: RouteAccess,
  place: Place = 'base',
): Route {
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  const allow = [...methods, 'OPTIONS'].join(', ');
  return Object.freeze({ template, methods, access, place, allow });
}

/** Every route. The edge answers the first three, in front of Express. */
export const ROUTES = Object.freeze({
  api: route('/jmap', 'POST', 'bearer'),
  websocket: route('/jmap/ws', 'GET', 'open'),
  eventSource: route('/jmap/eventsource', 'GET', 'ticket'),
  upload: route('/jmap/upload/:accountId', 'POST', 'bearer'),
  download: route('/jmap/download/:accountId/:blobId/:name', 'GET', 'bearer'),
  reference: route('/jmap/reference', 'GET', 'bearer'),
  ticket: route('/jmap/ticket', 'POST', 'bearer'),
  session: route('/.well-known/jmap', 'GET', 'bearer', 'both'),
  resourceMetadata: route('/.well-known/oauth-protected-resource', 'GET', 'open', 'front'),
  logout: route('/oidc/logout', 'POST', 'open'),
  healthz: route('/healthz', 'GET', 'open', 'root'),
  readyz: route('/readyz', 'GET', 'open', 'root'),
  metrics: route('/metrics', 'GET', 'metrics', 'root'),
});

/** Routes that have a page behind Express. */
export type PageName = Exclude<keyof typeof ROUTES, 'api' | 'websocket' | 'eventSource'>;

/** Stands for a path that isn't served. */
export const UNKNOWN_ROUTE = route('unknown', 'GET', 'open');

/** Returns the paths of a route, as templates. */
export function pathsOf({ template, place }: Route, basePath: string): readonly string[] {
  if (place === 'root') return [template];
  if (place === 'front') return [template + basePath];
  return place === 'base' ? [basePath + template] : [template, basePath + template];
}

/** Makes a function that finds the route of a path without query; null where nothing is served. */
export function createRouter(basePath: string): (path: string) => Route | null {
  const routes = Object.values(ROUTES);
  const byPath = new Map<string, Route>();
  for (const each of routes) for (const path of pathsOf(each, basePath)) byPath.set(path, each);
  const patterns = routes
    .filter(({ template }) => template.includes(':'))
    .map((each) => ({ route: each, pattern: patternOf(each.template) }));
  return (path) => {
    const found = byPath.get(path);
    if (found !== undefined) return found;
    if (!path.startsWith(basePath)) return null;
    const below = path.slice(basePath.length);
    return patterns.find(({ pattern }) => pattern.test(below))?.route ?? null;
  };
}

/** Each parameter is a segment; a download's name may be empty. */
function patternOf(template: string): RegExp {
  const segments = template.replace(':name', '[^/]*').replace(/:\w+/g, '[^/]+');
  return new RegExp(`^${segments}$`);
}
