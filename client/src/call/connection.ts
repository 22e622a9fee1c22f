import { type HttpClient, httpTransport, makeHttp, readJson } from '../transport/http.js';
import type { Request, Response, Transport } from '../transport/transport.js';
import { isFinal } from './errors.js';
import { makeGate } from './gate.js';
import { type RetryOptions, retry, sleep } from './retry.js';
import { isReading } from './run.js';
import { makeScope, type Scope } from './scope.js';
import {
  keepSession,
  locateSession,
  readLimit,
  type Session,
  type SessionKeeper,
} from './session.js';
import { makeAuthorize, type Token } from './token.js';

/** The parts of a client that a transport beside HTTP can use. */
export interface TransportContext {
  readonly http: HttpClient;
  /** Sends by HTTP. */
  readonly fallback: Transport;
  session(): Session;
  /** Returns a URL of the session as a whole one. */
  locate(url: string): string;
}

export interface ConnectionOptions {
  /** The server, `https://api.example.com`; with a path, its session resource (RFC 8620 2). */
  readonly url: string;
  /** A bearer token. The function is asked again after a 401. */
  readonly token: Token;
  /** Sends requests in the place of the global `fetch`: for tests and proxies. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * How long a call waits in all for a server that is busy (429 and 503), in milliseconds; by
   * default 60,000.
   */
  readonly retry?: number | undefined;
  /** Makes the transport of calls; by default they go by HTTP. */
  readonly transport?: ((context: TransportContext) => Transport) | undefined;
}

/** All calls of a client share these. */
export interface Connection {
  readonly http: HttpClient;
  /** The program's own `fetch`. */
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly scope: Scope;
  readonly keeper: SessionKeeper;
  readonly transport: Transport;
  /** Returns a URL of the session as a whole one. */
  locate(url: string): string;
  /** Makes attempts until one succeeds, as far as the options allow. */
  persist<T>(attempt: () => Promise<T>, options: Omit<RetryOptions, 'patience'>): Promise<T>;
  /** Sends a request to the API as often as it takes. */
  send(request: Request, signal: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

const PATIENCE = 60_000;

/** Opens a connection: fetches the session, unless one is known. */
export async function openConnection(
  options: ConnectionOptions,
  known?: Session,
): Promise<Connection> {
  const { fetch, retry: patience = PATIENCE } = options;
  const scope = makeScope();
  const http = makeHttp(makeAuthorize(options.token), fetch ?? globalThis.fetch);
  const persist: Connection['persist'] = (attempt, more) => retry(attempt, { ...more, patience });

  const sessionUrl = locateSession(options.url);
  /** Where redirects end. URLs of the session may be relative to it. */
  let base = sessionUrl;
  const load = async (signal: AbortSignal): Promise<Session> => {
    const response = await http(sessionUrl, { signal });
    base = response.url || sessionUrl;
    return (await readJson(response, signal)) as Session;
  };
  const keeper = await keepSession(
    () =>
      scope.run(undefined, (signal) => persist(() => load(signal), { isReading: true, signal })),
    (milliseconds) => scope.run(undefined, (signal) => sleep(milliseconds, signal)),
    known,
  );
  const session = keeper.current;
  const locate = (url: string): string => new URL(url, base).href;

  const fallback = httpTransport(http, () => locate(session().apiUrl));
  const transport = options.transport?.({ http, fallback, session, locate }) ?? fallback;
  const gate = makeGate(() => readLimit(session(), 'maxConcurrentRequests'));
  const send: Connection['send'] = async (request, signal) => {
    const attempt = (): Promise<Response> => gate(() => transport.send(request, { signal }));
    try {
      const response = await persist(attempt, { isReading: isReading(request), signal });
      keeper.noteState(response.sessionState);
      return response;
    } catch (error) {
      if (isFinal(error)) keeper.noteState();
      throw error;
    }
  };
  const close = (): Promise<void> => {
    scope.close();
    return transport.close();
  };
  return { http, fetch, scope, keeper, transport, locate, persist, send, close };
}
