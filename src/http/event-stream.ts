import type { IncomingMessage } from 'node:http';
import type { ChangedStates } from '../push/feed.js';
import { type EdgeResponse, edgeHeaders } from './edge-response.js';

/** One open event source: the text/event-stream format, pings, and a reader that may be slow. */
export class EventStream {
  static readonly headers: readonly string[] = Object.freeze([
    'Content-Type',
    'text/event-stream',
    'Cache-Control',
    'no-store',
    // A buffering proxy would hold events back.
    'X-Accel-Buffering',
    'no',
  ]);

  /** The reader has caught up after it was behind. */
  onDrain: () => void = nothing;
  onClose: () => void = nothing;
  readonly #req: IncomingMessage;
  readonly #res: EdgeResponse;
  readonly #ping: number;
  /** Everything pushed on this stream so far of what is in reach: what the event id encodes. */
  readonly #pushed = new Map<string, Map<string, string>>();
  readonly #sideEnded = (): void => this.end();
  #timer: NodeJS.Timeout | undefined;
  #isBlocked = false;

  /** `ping` in seconds, 0 for none. */
  constructor(req: IncomingMessage, res: EdgeResponse, ping: number) {
    this.#req = req;
    this.#res = res;
    this.#ping = ping;
  }

  /** Sends the headers: the stream is open. */
  start(): void {
    const { socket } = this.#req;
    socket.setTimeout(0);
    socket.setNoDelay(true);
    this.#res.on('drain', () => this.#drained());
    this.#res.on('close', () => this.#closed());
    // A client that ends its side gets the answers that it waits for; this one would never end.
    socket.on('end', this.#sideEnded);
    if (this.#res.destroyed) {
      this.#closed();
      return;
    }
    this.#res.writeHead(200, [...edgeHeaders(this.#res), ...EventStream.headers]);
    this.#res.flushHeaders();
    if (socket.readableEnded) this.end();
    this.#restartPing();
  }

  /** The reader doesn't take what was written: nothing more may be. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** RFC 8620 7.1, 7.3: a `state` event with a StateChange and an id. */
  state(changed: ChangedStates): void {
    const data = JSON.stringify({ '@type': 'StateChange', changed: plain(changed) });
    this.#write(`event: state\nid: ${this.#nextId(changed)}\ndata: ${data}\n\n`);
    this.#restartPing();
  }

  /** Of accounts that are out of reach now, ids of events are silent too. */
  forgetOthers(accounts: ReadonlyMap<string, unknown>): void {
    for (const accountId of this.#pushed.keys()) {
      if (!accounts.has(accountId)) this.#pushed.delete(accountId);
    }
  }

  end(): void {
    if (!this.#res.writableEnded) this.#res.end();
  }

  /** The id encodes everything that this stream has pushed, so that a server can tell what came after it. */
  #nextId(changed: ChangedStates): string {
    for (const [accountId, states] of changed) {
      const pushed = this.#pushed.get(accountId);
      if (pushed === undefined) this.#pushed.set(accountId, new Map(states));
      else for (const [type, state] of states) pushed.set(type, state);
    }
    return Buffer.from(JSON.stringify(plain(this.#pushed))).toString('base64url');
  }

  /** Pings count from the event before (RFC 8620 7.3), carry no id and tell the interval that is used. */
  #restartPing(): void {
    clearTimeout(this.#timer);
    if (this.#ping === 0 || this.#res.writableEnded) return;
    this.#timer = setTimeout(() => {
      if (!this.#isBlocked) this.#write(`event: ping\ndata: {"interval":${this.#ping}}\n\n`);
      this.#restartPing();
    }, this.#ping * 1000);
    this.#timer.unref();
  }

  #write(text: string): void {
    if (this.#res.destroyed || this.#res.writableEnded) return;
    if (!this.#res.write(text)) this.#isBlocked = true;
  }

  #drained(): void {
    this.#isBlocked = false;
    this.onDrain();
  }

  #closed(): void {
    this.#req.socket.off('end', this.#sideEnded);
    clearTimeout(this.#timer);
    this.onClose();
    this.onClose = nothing;
  }
}

function nothing(): void {
  // Stands where no listener is set.
}

function plain(states: ChangedStates): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Array.from(states, ([accountId, types]) => [accountId, Object.fromEntries(types)]),
  );
}
