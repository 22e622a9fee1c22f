import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import { queryOf } from './authenticate-request.js';
import type { EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import type { AuthenticatedHandler, RouteHandler, RouteRequest } from './route-request.js';

export interface AppOptions {
  readonly basePath: string;
  readonly session: AuthenticatedHandler;
  readonly reference: AuthenticatedHandler;
  readonly upload: AuthenticatedHandler;
  readonly download: AuthenticatedHandler;
  readonly eventSource: AuthenticatedHandler;
  readonly ticket: AuthenticatedHandler;
  readonly healthz: RouteHandler;
  readonly readyz: RouteHandler;
  readonly metrics: RouteHandler;
  readonly fail: (req: IncomingMessage, res: EdgeResponse, error: unknown) => void;
}

/** The Express app behind the edge function: routing alone. Answers are written by the routes' pages. */
export function createApp(options: AppOptions): (req: IncomingMessage, res: EdgeResponse) => void {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);

  const { basePath, fail } = options;
  const page = (handler: RouteHandler) => (req: Request, res: Response) => {
    const request = routeRequest(req, res);
    handler(request).catch((error: unknown) => fail(request.req, request.res, error));
  };
  const signedIn = (handler: AuthenticatedHandler) =>
    page(async (request) => {
      const { principal } = request.res;
      if (principal === null) throw new Error('A route for users was reached without one.');
      await handler({ ...request, principal });
    });

  for (const base of new Set(['', basePath])) {
    app.get(`${base}/.well-known/jmap`, signedIn(options.session));
  }
  app.post(`${basePath}/jmap/upload/:accountId`, signedIn(options.upload));
  app.get(`${basePath}/jmap/download/:accountId/:blobId/:name`, signedIn(options.download));
  app.get(`${basePath}/jmap/download/:accountId/:blobId/`, signedIn(options.download));
  app.get(`${basePath}/jmap/reference`, signedIn(options.reference));
  app.get(`${basePath}/jmap/eventsource`, signedIn(options.eventSource));
  app.post(`${basePath}/jmap/ticket`, signedIn(options.ticket));
  app.get('/healthz', page(options.healthz));
  app.get('/readyz', page(options.readyz));
  app.get('/metrics', page(options.metrics));

  app.use((req: Request, res: Response) => {
    fail(req, ours(res), new HttpError(404, 'There is nothing at this path.'));
  });
  // Express knows an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const undecodable = error instanceof URIError || (error as { status?: unknown }).status === 400;
    const wrong = new HttpError(400, 'The path holds an escape that is no UTF-8.');
    fail(req, ours(res), undecodable ? wrong : error);
  });
  return (req, res) => app(req, res);
}

function routeRequest(req: Request, res: Response): RouteRequest {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.params)) params[name] = String(value);
  return { req, res: ours(res), params, query: queryOf(req) };
}

/** Express swaps the prototype of the very object that it was handed: its fields are all still there. */
function ours(res: Response): EdgeResponse {
  return res as unknown as EdgeResponse;
}
