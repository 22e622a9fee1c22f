import type { Socket } from 'node:net';
import { type EdgeResponse, endsConnection } from './edge-response.js';

/** What Node keeps of a response, as far as it is needed to send one past Node's own steps. */
interface Internals {
  _header: string | null;
  _headerSent: boolean;
  finished: boolean;
}

type Assigned = Socket & { readonly _httpMessage?: unknown };

/**
 * Sends a short answer of 200, head and body, by one write, `lines` as for `writeFixedHead`. False where Node has to do
 * it: the connection isn't to be kept, or still has something to send.
 *
 * Node composes each head anew, looks at each of its headers, and goes through three states and as many ticks until it
 * counts a response as finished; what is the same in all answers is text here.
 */
export function sendWhole(res: EdgeResponse, lines: string, text: string, octets: number): boolean {
  const socket = res.socket as Assigned | null;
  const { server } = res;
  if (!server.usesInternals || endsConnection(res)) return false;
  if (socket === null || socket._httpMessage !== res || !res.shouldKeepAlive) return false;
  if (res.headersSent || !socket.writable || socket.writableLength > 0) return false;
  const internals = res as unknown as Internals;
  const { openingLines, corsLines } = res.sharedHead;
  const head = `${openingLines}${res.requestId}\r\n${corsLines}${lines}Content-Length: ${octets}${ending(server.keepAlive)}`;
  internals._header = head;
  internals._headerSent = true;
  // ASCII is the same in Latin-1, which is written without looking at each character.
  socket.write(head + text, octets === text.length ? 'latin1' : 'utf8');
  internals.finished = true;
  res.isSent = false;
  // A connection that breaks ends the response by its own end.
  if (socket.errored !== null) return true;
  if (socket.writableLength === 0) finish(res);
  else {
    // Behind what the system has not taken yet.
    socket.write('', 'latin1', (error) => {
      if (error === null || error === undefined) finish(res);
    });
  }
  return true;
}

function finish(res: EdgeResponse): void {
  res.isSent = true;
  res.emit('finish');
}

let endingFrom = 0;
let endingUntil = 0;
let endingFor = 0;
let endingText = '';

/** The end of a head, with what Node puts there: the date (RFC 9110 6.6.1), made once a second, and keep-alive. */
function ending(keepAlive: number): string {
  const now = Date.now();
  if (now >= endingUntil || now < endingFrom || keepAlive !== endingFor) {
    endingFrom = now - (now % 1000);
    endingUntil = endingFrom + 1000;
    endingFor = keepAlive;
    const date = new Date(now).toUTCString();
    const seconds = Math.floor(keepAlive / 1000);
    const kept = keepAlive === 0 ? '' : `Keep-Alive: timeout=${seconds}\r\n`;
    endingText = `\r\nDate: ${date}\r\nConnection: keep-alive\r\n${kept}\r\n`;
  }
  return endingText;
}
