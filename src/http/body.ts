import type { IncomingMessage } from 'node:http';
import { requestTooLarge } from '../protocol/limits.js';
import type { BodyBudget } from '../runtime/budgets.js';
import type { EdgeResponse } from './edge-response.js';
import { Octets } from './octets.js';
import { ClientGoneError, HttpError, overloaded } from './reply.js';
import type { SlowBodies } from './slow-bodies.js';

export interface BodyReader {
  readonly maximum: number;
  readonly budget: BodyBudget;
  readonly slowBodies: SlowBodies;
}

/** A body in memory; `octets` of it are held of the budget until the caller releases them. */
export interface Body {
  readonly data: Buffer;
  readonly octets: number;
}

/** The Content-Length as a number, null for a body of unknown length. */
export function declaredLength(req: IncomingMessage): number | null {
  const text = req.headers['content-length'];
  return text === undefined ? null : Number(text);
}

/** Whether a request has a body that is not empty, as far as its head tells. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) !== 0 || 'transfer-encoding' in headers;
}

/** 415 for a body in a coding: what it decodes to would be unbounded, and the limits speak of octets sent. */
export function refuseEncoding(req: IncomingMessage): void {
  const coding = req.headers['content-encoding'];
  if (coding === undefined || coding.trim() === '' || coding.trim().toLowerCase() === 'identity') {
    return;
  }
  throw new HttpError(415, 'Send the body without a Content-Encoding.', [
    'Accept-Encoding',
    'identity',
  ]);
}

/**
 * Throws where a body's length says that it won't do: RequestError limit, HttpError 503. Asks for a body that waits to
 * be asked for.
 */
export function admitBody(
  req: IncomingMessage,
  res: EdgeResponse,
  user: string,
  { maximum, budget }: BodyReader,
): void {
  const declared = declaredLength(req);
  if (declared !== null && declared > maximum) throw requestTooLarge(maximum);
  if (!budget.fits(user, declared ?? 0)) throw overloaded();
  if (req.headers.expect !== undefined) res.writeContinue();
}

/**
 * Reads the body of a request. One that has arrived is taken at once: it came in the packet of its
 * head, or while the token was looked up. Rejects with RequestError limit, HttpError 503,
 * ClientGoneError.
 */
export function readBody(
  req: IncomingMessage,
  res: EdgeResponse,
  user: string,
  reader: BodyReader,
): Body | Promise<Body> {
  if (!req.complete && req.readableLength !== declaredLength(req)) {
    return collectBody(req, res, user, reader);
  }
  const data: Buffer = req.read() ?? NOTHING;
  res.hasWholeRequest = true;
  refuseTooMany(data.length, user, data.length, reader);
  return { data, octets: data.length };
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Counts `more` octets of a body that has `length` with them. Throws, and counts none, where they are too many. */
function refuseTooMany(
  length: number,
  user: string,
  more: number,
  { maximum, budget }: BodyReader,
): void {
  if (length > maximum) throw requestTooLarge(maximum);
  if (!budget.take(user, more)) throw overloaded();
}

/** Collects a body as it comes, and stops reading at the first octet too many. */
function collectBody(
  req: IncomingMessage,
  res: EdgeResponse,
  user: string,
  reader: BodyReader,
): Promise<Body> {
  const { budget, slowBodies } = reader;
  return new Promise((resolve, reject) => {
    const watched = slowBodies.watch(req, res);
    const octets = new Octets();
    let complete = false;
    const fail = (error: unknown): void => {
      slowBodies.forget(watched);
      req.off('data', onData);
      req.off('end', onEnd);
      req.off('close', onClose);
      budget.release(user, octets.length);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        refuseTooMany(octets.length + chunk.length, user, chunk.length, reader);
        octets.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    // No listener is taken off, which would cost each request as much as its body does.
    const onEnd = (): void => {
      complete = true;
      slowBodies.forget(watched);
      resolve({ data: octets.take(), octets: octets.length });
    };
    const onClose = (): void => {
      if (!complete) fail(new ClientGoneError());
    };
    req.on('data', onData);
    req.on('end', onEnd);
    req.on('close', onClose);
    // Who left while the token was looked up is not heard of any more.
    if (req.destroyed) onClose();
  });
}
