import WebSocket from 'ws';
import type { Json } from '../support/json.js';
import { within } from '../support/poll.js';
import type { Draw } from './draw.js';
import { isMap, type Judgement, judgeProblem, judgeResponse, parsed } from './oracle.js';
import { type FuzzRequest, makeRequest } from './request.js';
import type { Shapes } from './shapes.js';

/** A WebSocket (RFC 8887) that sends one message after the other and waits for what comes. */
export class FuzzSocket {
  readonly #url: string;
  readonly #token: string;
  #socket: WebSocket | null = null;
  #next: ((came: Buffer | number) => void) | null = null;

  constructor(url: string, token: string) {
    this.#url = `${url.replace(/^http/, 'ws')}/jmap/ws`;
    this.#token = token;
  }

  /** The message that answers, or the code that the socket is closed with. */
  async send(message: Buffer, isBinary: boolean): Promise<Buffer | number> {
    const socket = await this.#open();
    const came = new Promise<Buffer | number>((resolve) => {
      this.#next = resolve;
    });
    socket.send(message, { binary: isBinary });
    return within('An answer over the WebSocket', came, 60_000);
  }

  close(): void {
    this.#socket?.terminate();
    this.#socket = null;
  }

  async #open(): Promise<WebSocket> {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    const socket = new WebSocket(this.#url, ['jmap'], {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    socket.on('message', (data: Buffer) => this.#came(data));
    socket.on('close', (code) => {
      if (this.#socket === socket) this.#socket = null;
      this.#came(code);
    });
    await within(
      'The handshake',
      new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      }),
    );
    socket.on('error', () => socket.terminate());
    this.#socket = socket;
    return socket;
  }

  #came(what: Buffer | number): void {
    const next = this.#next;
    this.#next = null;
    next?.(what);
  }
}

/** A request in the envelope of a message, and now and then something else. */
export function makeMessage(draw: Draw): FuzzRequest & { readonly isBinary: boolean } {
  const made = makeRequest(draw);
  const isBinary = draw.chance(0.01);
  if (made.octets[0] !== 0x7b) return { ...made, clean: false, isBinary };
  const type = draw.chance(0.97) ? 'Request' : draw.pick(['Response', '', 'StateChange']);
  const id = draw.chance(0.9) ? `"id":"r${draw.number}",` : '';
  const start = Buffer.from(`{"@type":"${type}",${id}`);
  const isEmpty = made.octets[1] === 0x7d;
  const octets = Buffer.concat([
    start,
    isEmpty ? Buffer.from('"x":0') : NOTHING,
    made.octets.subarray(1),
  ]);
  return { ...made, octets, clean: made.clean && type === 'Request' && !isBinary, isBinary };
}

const NOTHING = Buffer.alloc(0);

/** Close codes of what is no message (RFC 8887 4.1, RFC 6455 7.4.1). */
const CLOSED: ReadonlySet<number> = new Set([1003, 1007, 1009, 1013]);

export function judgeMessage(
  request: FuzzRequest & { readonly isBinary: boolean },
  came: Buffer | number,
  shapes: Shapes,
): Judgement {
  const none = { kinds: [`ws closed ${String(came)}`], answered: [] };
  if (typeof came === 'number') {
    const isAllowed = CLOSED.has(came) && !request.clean;
    return { ...none, wrong: isAllowed ? [] : [`the socket was closed with ${came}`] };
  }
  const body = parsed(came);
  if (request.isBinary) return { ...none, kinds: ['ws'], wrong: ['a binary message was answered'] };
  if (!isMap(body)) return { ...none, kinds: ['ws'], wrong: ['a message that is no object'] };
  const wrong = idIsRight(request, body['requestId']);
  const judged =
    body['@type'] === 'Response'
      ? judgeResponse(request, body, shapes, ['@type', 'requestId'])
      : body['@type'] === 'RequestError'
        ? judgeProblem(request, Number(body['status']), body, true)
        : { kinds: ['ws'], wrong: [`@type ${String(body['@type'])}`], answered: [] };
  return {
    kinds: judged.kinds.map((kind) => `ws ${kind}`),
    wrong: [...judged.wrong, ...wrong],
    answered: judged.answered,
  };
}

/** RFC 8887 4.3.2 and 4.3.4; null only where the message could not be read. */
function idIsRight(request: FuzzRequest, requestId: Json | undefined): string[] {
  const sent = parsed(request.octets);
  if (!isMap(sent) || request.verdict === 'notJSON') return [];
  const { id } = sent;
  const isRight = typeof id !== 'string' || requestId === id || requestId === null;
  const isMissing = requestId === null && typeof id === 'string' && request.clean;
  return isRight && !isMissing ? [] : [`requestId ${String(requestId)} for ${String(id)}`];
}
