import type { IncomingMessage } from 'node:http';
import type { BodyBudget } from '../body-budget.js';
import { requestTooLarge } from '../limits.js';
import type { EdgeResponse } from './edge-response.js';
import { Octets } from './octets.js';
import { ClientGoneError, HttpError, overloaded } from './reply.js';
import type { StallWatch } from './stall-watch.js';

export interface BodyReader {
  readonly maximum: number;
  readonly budget: BodyBudget;
  readonly watch: StallWatch;
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
 * Collects a body of at most `maximum` octets. Rejects before reading where its length says that it won't do, and
 * stops reading at the first octet too many: RequestError limit, HttpError 503, ClientGoneError.
 */
export function readBody(
  req: IncomingMessage,
  res: EdgeResponse,
  user: string,
  reader: BodyReader,
): Promise<Body> {
  const { maximum, budget, watch } = reader;
  const declared = declaredLength(req);
  if (declared !== null && declared > maximum) return Promise.reject(requestTooLarge(maximum));
  if (!budget.fits(user, declared ?? 0)) return Promise.reject(overloaded());
  if (req.headers.expect !== undefined) res.writeContinue();

  return new Promise((resolve, reject) => {
    const watched = watch.reading(req, res);
    const octets = new Octets();
    let complete = false;
    const fail = (error: Error): void => {
      watch.done(watched);
      req.off('data', onData);
      req.off('end', onEnd);
      req.off('close', onClose);
      budget.release(user, octets.length);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (octets.length + chunk.length > maximum) {
        fail(requestTooLarge(maximum));
      } else if (!budget.take(user, chunk.length)) {
        fail(overloaded());
      } else {
        octets.add(chunk);
      }
    };
    // No listener is taken off, which would cost each request as much as its body does.
    const onEnd = (): void => {
      complete = true;
      watch.done(watched);
      resolve({ data: octets.take(), octets: octets.length });
    };
    const onClose = (): void => {
      if (!complete) fail(new ClientGoneError('The client left within the body.'));
    };
    req.on('data', onData);
    req.on('end', onEnd);
    req.on('close', onClose);
  });
}
