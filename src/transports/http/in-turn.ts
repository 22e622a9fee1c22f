import type { Socket } from 'node:net';
import { answering } from './answering.js';
import type { EdgeRequest } from './edge-request.js';
import type { EdgeResponse } from './edge-response.js';

/** Requests that may wait on a connection for the answers in front of them. */
const MAX_WAITING = 64;

type Handle = (req: EdgeRequest, res: EdgeResponse) => void;

/**
 * Begins pipelined requests one after the other: those that change something must not run side by side (RFC 9112
 * 9.3.2), and Node never tells a response that still waits for its connection of that connection's end, so what was
 * begun for it would never end. A client that sends too many ahead is cut off.
 */
export function inTurn(handle: Handle, usesInternals: boolean): Handle {
  return usesInternals ? asAssigned(handle) : asClosed(handle);
}

/** Node assigns the connection to one response after the other. */
function asAssigned(handle: Handle): Handle {
  const waiting = new WeakMap<Socket, number>();
  return (req, res) => {
    if (res.socket !== null) {
      handle(req, res);
      return;
    }
    const { socket } = req;
    const count = waiting.get(socket) ?? 0;
    if (count >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count + 1);
    res.onTurn = () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      handle(req, res);
    };
  };
}

/** A response closes behind its last octet, or with its connection. */
function asClosed(handle: Handle): Handle {
  const queues = new WeakMap<Socket, (() => void)[]>();
  const begin = (req: EdgeRequest, res: EdgeResponse, queue: (() => void)[]): void => {
    const { socket } = req;
    answering.add(socket);
    res.once('close', () => {
      answering.delete(socket);
      if (!socket.destroyed) queue.shift()?.();
    });
    handle(req, res);
  };
  return (req, res) => {
    const { socket } = req;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    if (!answering.has(socket)) begin(req, res, queue);
    else if (queue.length >= MAX_WAITING) socket.destroy();
    else queue.push(() => begin(req, res, queue));
  };
}
