import type { IncomingMessage } from 'node:http';
import { type EdgeResponse, writeHead } from './edge-response.js';
import { type Problem, problemHeaders, sendProblem } from './reply.js';

/** Rests of bodies up to this size are read to their end, so that the connection can be used again. */
const SMALL_REST = 65_536;

/**
 * Answers a request whose body may be unread. Closing a connection with unread octets resets it, and the reset can
 * overtake the answer: so the whole answer is written first, then the body is thrown away for a while, then the
 * connection closes.
 */
export function refuse(
  req: IncomingMessage,
  res: EdgeResponse,
  problem: Problem,
  linger: number,
): void {
  if (res.headersSent || res.destroyed) {
    // Too late for an answer: a cut connection is the only sign left.
    res.destroy();
    return;
  }
  if (req.complete || res.hasWholeRequest || restOf(req) <= SMALL_REST) {
    sendProblem(res, problem);
    // Node throws the rest away when the answer is finished, unless somebody has begun to read it.
    req.resume();
    return;
  }
  const body = Buffer.from(JSON.stringify(problem.body));
  res.isLast = true;
  writeHead(res, problem.status, problemHeaders(problem), body.length);
  if (req.headers.expect !== undefined) {
    // The client waits for "100 Continue" and sends nothing more.
    res.end(body);
    return;
  }
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, linger);
  req.once('end', end);
  req.once('close', end);
  req.resume();
}

/** Octets of the body by its Content-Length; infinite where it has none. */
function restOf(req: IncomingMessage): number {
  const declared = req.headers['content-length'];
  if (declared !== undefined) return Number(declared);
  return req.headers['transfer-encoding'] === undefined ? 0 : Number.POSITIVE_INFINITY;
}
