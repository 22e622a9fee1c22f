import type { OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { within } from '../support/poll.js';

/**
 * THE MATRIX of endpoints: the status by what is sent as a credential. `401+` says
 * error="invalid_token" in its challenge. The last four are tokens of the user whose account `A1`
 * the path names, one that only reads, one for another of its accounts; and one of another user.
 */
const TABLE = `
  endpoint                                    none bad  two  ticket noTicket own  read other foreign
  POST /jmap                                  401  401+ 400  401    401      200  200  200   200
  GET /jmap/ws                                401  401+ 400  101    401+     101  101  101   101
  POST /jmap/upload/:accountId                401  401+ 400  401    401      200  403  404   404
  GET /jmap/download/:accountId/:blobId/:name 401  401+ 400  401    401      200  200  404   404
  GET /.well-known/jmap                       401  401+ 400  401    401      200  200  200   200
  GET /jmap/reference                         401  401+ 400  401    401      200  200  200   200
  GET /jmap/eventsource                       401  401+ 400  200    401+     200  200  200   200
  POST /jmap/ticket                           401  401+ 400  401    401      200  200  200   200
  GET /healthz                                200  200  200  200    200      200  200  200   200
  GET /readyz                                 200  200  200  200    200      200  200  200   200
  GET /.well-known/oauth-protected-resource   404  404  404  404    404      404  404  404   404
  POST /oidc/logout                           404  404  404  404    404      404  404  404   404
  GET /metrics                                401  401+ 401+ 401    401      401+ 401+ 401+  401+
`;

const [head = '', ...lines] = TABLE.trim().split('\n');
const COLUMNS = head.trim().split(/ +/).slice(1);

/** Statuses by endpoint and column. */
export const ENDPOINTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  lines.map((line) => {
    const [verb, path, ...statuses] = line.trim().split(/ +/);
    const cells = COLUMNS.map((column, n) => [column, statuses[n] ?? ''] as const);
    return [`${verb} ${path}`, new Map(cells)];
  }),
);

/** The answer to a request. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Empty of what goes on: an event stream, a WebSocket. */
  readonly body: string;
}

/** Sends a request by node:http, which leaves headers alone, and takes a switch of protocols. */
export function send(
  url: string,
  verb: string,
  headers: OutgoingHttpHeaders,
  body = '',
): Promise<Answered> {
  const answered = new Promise<Answered>((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const req = request(url, { method: verb, headers: { ...headers, ...length }, agent: false });
    req.once('error', reject);
    req.once('upgrade', (res, socket) => {
      socket.destroy();
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: '' });
    });
    req.once('response', (res) => {
      const answer = { status: res.statusCode ?? 0, headers: res.headers };
      if (res.headers['content-type'] === 'text/event-stream') {
        res.destroy();
        resolve({ ...answer, body: '' });
        return;
      }
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('end', () => resolve({ ...answer, body: Buffer.concat(chunks).toString('utf8') }));
    });
    req.end(body);
  });
  return within(`The answer to ${verb} ${url}`, answered);
}

/**
 * The headers of a WebSocket's opening handshake beside its credentials (RFC 6455 4.1, RFC 8887
 * 4.1).
 */
export const UPGRADE: OutgoingHttpHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'jmap',
};
