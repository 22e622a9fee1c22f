import type { IncomingMessage } from 'node:http';
import { requestTooLarge } from '../protocol/limits.js';
import { bodyLength, type EdgeResponse, principalOf } from './edge-response.js';
import { Octets } from './octets.js';
import { ClientGoneError, HttpError, overloaded } from './reply.js';
import type { Shared } from './shared.js';

/** Refuses an encoded body (415): its decoded size is unbounded, and limits count sent octets. */
export function refuseEncoding({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  const acceptHeader = ['Accept-Encoding', 'identity'];
  throw new HttpError(415, 'Send the body without a Content-Encoding.', acceptHeader);
}

/** Asks for a body that waits to be asked for. */
export function awaitBody(req: IncomingMessage, res: EdgeResponse): void {
  if (req.headers.expect !== undefined) res.writeContinue();
  res.awaitsBody = true;
}

/**
 * Reads the body of a request into memory; its octets are held of the budget until the caller
 * releases them. A body that has arrived is taken at once: it came in the packet of its head, or
 * while the token was looked up. Throws or rejects with RequestError limit, HttpError 503,
 * ClientGoneError, and holds nothing then.
 */
export function readBody(
  req: IncomingMessage,
  res: EdgeResponse,
  shared: Shared,
): Buffer | Promise<Buffer> {
  const { userId } = principalOf(res);
  const { budget, limits } = shared;
  const length = bodyLength(req);
  if (length !== Number.POSITIVE_INFINITY && length > limits.maxSizeRequest) {
    throw requestTooLarge(limits.maxSizeRequest);
  }
  if (!budget.fits(userId, length === Number.POSITIVE_INFINITY ? 0 : length)) throw overloaded();
  awaitBody(req, res);
  if (!req.complete && req.readableLength !== length) {
    return collectBody(req, {
      hold: (held, more) => holdOctets(held, more, userId, shared),
      release: (octets) => budget.release(userId, octets),
    });
  }
  const data = takeArrived(req);
  res.hasWholeRequest = true;
  holdOctets(data.length, data.length, userId, shared);
  return data;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Takes all octets that have arrived. Since Node 26 a read gives one piece of them. */
function takeArrived(req: IncomingMessage): Buffer {
  const first: Buffer = req.read() ?? NOTHING;
  if (req.readableLength === 0) return first;
  const pieces = [first];
  while (req.readableLength > 0) pieces.push(req.read());
  return Buffer.concat(pieces);
}

/** Holds `more` octets of a body that has `length` then. Throws, and holds none, at a limit. */
function holdOctets(length: number, more: number, user: string, { budget, limits }: Shared): void {
  if (length > limits.maxSizeRequest) throw requestTooLarge(limits.maxSizeRequest);
  if (!budget.take(user, more)) throw overloaded();
}

/** Room for the octets of a body. */
export interface BodyRoom {
  /** Holds `more` octets of a body that has `length` then. Throws where there is no room. */
  hold(length: number, more: number): void;
  /** Gives back the octets of a body that is not collected to its end. */
  release(octets: number): void;
}

/**
 * Collects a body as it comes, and stops at the first octet too many. It listens to events: a
 * packet may hold ten thousand chunks of one octet, and an iterator takes twice as long for each.
 */
export function collectBody(req: IncomingMessage, room: BodyRoom): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const octets = new Octets();
    let isComplete = false;
    const fail = (error: unknown): void => {
      req.off('data', onData);
      req.off('end', onEnd);
      req.off('close', onClose);
      room.release(octets.length);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        room.hold(octets.length + chunk.length, chunk.length);
        octets.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    // A body that is whole leaves its listeners: to take them off costs as much as to read it.
    const onEnd = (): void => {
      isComplete = true;
      resolve(octets.take());
    };
    const onClose = (): void => {
      if (!isComplete) fail(new ClientGoneError());
    };
    req.on('data', onData);
    req.on('end', onEnd);
    req.on('close', onClose);
    // No event comes any more from a client that left while the token was looked up.
    if (req.destroyed) onClose();
  });
}
