import type { JsonMap } from '../client/json.js';
import { type Handshake, Socket } from '../client/socket.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';

/**
 * The checks of RFC 8887 have sockets of their own, whatever the run's transport is.
 */

/**
 * Opens a socket, works with it, and closes it. Throws UnexpectedError where the handshake is
 * refused.
 */
export async function withSocket(
  server: Server,
  work: (socket: Socket) => Promise<void>,
  handshake: Handshake = {},
): Promise<void> {
  const socket = await server.user.openSocket(handshake);
  if (typeof socket === 'number')
    throw new UnexpectedError(`The handshake was refused with ${socket}.`);
  try {
    await work(socket);
  } finally {
    socket.close();
  }
}

/** Tries a handshake. Returns the status that refused it; null where it was not refused. */
export async function tryHandshake(server: Server, handshake: Handshake): Promise<number | null> {
  const socket = await server.user.openSocket(handshake);
  if (socket instanceof Socket) socket.close();
  return socket instanceof Socket ? null : socket;
}

/** Builds a Request that is answered with its own arguments. */
export const buildEcho = (id: string, args: JsonMap = { hello: true }): JsonMap => ({
  '@type': 'Request',
  id,
  using: [CORE],
  methodCalls: [['Core/echo', args, 'c0']],
});

/** Builds the type of a request-level error (RFC 8620 3.6.1). */
export const buildErrorType = (name: string): string => `urn:ietf:params:jmap:error:${name}`;
