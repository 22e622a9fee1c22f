import type { IncomingMessage } from 'node:http';
import express, { type Request, type Response } from 'express';
import { queryOf } from './authenticate-request.js';
import type { EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import { type PageName, pathsOf, ROUTES } from './routes.js';

/** A request as the page of its route gets it: no Express type leaves this file. */
export interface PageRequest {
  readonly req: IncomingMessage;
  readonly res: EdgeResponse;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** Answers a request; what it throws becomes a problem. */
export type Page = (request: PageRequest) => Promise<void>;

/** Answers a request whose route, method and credentials are right, or tells why not. */
export type RequestHandler = (
  req: IncomingMessage,
  res: EdgeResponse,
  fail: (error: unknown) => void,
) => void;

/** Makes the Express app behind the edge: it only routes, and the pages write the answers. */
export function createApp(
  basePath: string,
  pages: Readonly<Record<PageName, Page>>,
): RequestHandler {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  for (const name of Object.keys(pages) as PageName[]) {
    for (const path of pathsOf(ROUTES[name], basePath)) {
      // Express hands on what a page rejects with. The edge has looked at the method.
      app.all(path.replace(':name', '{:name}'), (req, res) => pages[name](pageRequest(req, res)));
    }
  }
  return (req, res, fail) =>
    app(req as Request, res as unknown as Response, (error?: unknown) => fail(failureOf(error)));
}

/** `error` is what Express or a page failed with; undefined where no page is at the path. */
function failureOf(error: unknown): unknown {
  if (error === undefined) return new HttpError(404, 'There is nothing at this path.');
  if (!(error instanceof URIError)) return error;
  return new HttpError(400, 'The path holds an escape that is no UTF-8.');
}

/** Makes a page's request. Express swaps the prototype of `res`, but its fields are still there. */
function pageRequest(req: Request, res: Response): PageRequest {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.params)) params[name] = String(value);
  return { req, res: res as unknown as EdgeResponse, params, query: queryOf(req) };
}
