import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { asMap, type JsonMap } from '../src/client/json.js';
import type { OtherServer } from './other-server.js';

/** Changes the answers of a server that stands in front of another one. */
export interface Misbehaviour {
  /** Takes a request, and returns whether it was answered, or won't be. */
  readonly handle?: (req: IncomingMessage, res: ServerResponse, body: string) => boolean;
  /** Changes the session. */
  readonly session?: (session: JsonMap, origin: string) => JsonMap;
}

/** Starts a server in front of another one. Returns its origin; it stops with the test. */
export async function startInFront(
  other: OtherServer,
  { handle = () => false, session = (one) => one }: Misbehaviour,
): Promise<string> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (handle(req, res, body)) return;
      res.setHeader('content-type', 'application/json');
      const { methodCalls } = asMap(body === '' ? {} : (JSON.parse(body) as JsonMap));
      const isApi = req.method === 'POST' && Array.isArray(methodCalls);
      const told = isApi ? other.answer(methodCalls as never) : session(other.session, origin());
      res.end(JSON.stringify(told));
    });
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return origin();
}
