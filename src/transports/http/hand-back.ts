import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { InTurn } from './in-turn.js';

/**
 * Gives the connection of a declined upgrade back to its server, once the requests in front of it
 * are answered. For versions of Node without `shouldUpgradeCallback` (20 among them), which hand
 * every upgrade over; others ask first. `rest` is what came behind the request's head.
 */
export function handBack(
  server: Server,
  turns: InTurn,
  { req, socket, rest }: { req: IncomingMessage; socket: Socket; rest: Buffer },
): void {
  // Node has taken its own listeners off. An answer that is still on its way needs to hear of both
  // events.
  const onError = (): void => void socket.destroy();
  const onDrain = (): void => void turns.current(socket)?.emit('drain');
  socket.on('error', onError).on('drain', onDrain);
  turns.afterAnswers(socket, () => {
    socket.off('error', onError).off('drain', onDrain);
    socket.unshift(Buffer.concat([withoutUpgrade(req), rest]));
    // Node documents this event as the way to give a server a connection.
    server.emit('connection', socket);
  });
}

/** The head as it came, but with nothing in `Connection` that would make an upgrade of it. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = name.toLowerCase() === 'connection' ? 'keep-alive' : rawHeaders[at + 1];
    lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
