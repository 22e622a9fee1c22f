import { connect, type Socket } from 'node:net';

/** An event source over a bare socket: as little of the client as can be is measured. */
export class EventSocket {
  /** The id of the last event. */
  lastEventId = '';
  /** `performance.now()` of the last state event; 0 before the first. */
  eventAt = 0;
  events = 0;
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  #onEvent: ((data: string) => void) | null = null;

  constructor(port: number, token: string, lastEventId: string | null = null, ping = 0) {
    const socket = connect(port, '127.0.0.1');
    this.#socket = socket;
    const last = lastEventId === null ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
    socket.write(
      `GET /jmap/eventsource?types=*&closeafter=no&ping=${ping} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
        `Authorization: Bearer ${token}\r\n${last}\r\n`,
    );
    this.opened = new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.setEncoding('latin1').on('data', (text) => {
        const chunk = String(text);
        const id = /^id: (\S+)$/m.exec(chunk)?.[1];
        if (id !== undefined) {
          this.lastEventId = id;
          resolve();
        }
        if (!chunk.includes('event: state')) return;
        this.events += 1;
        this.eventAt = performance.now();
        this.#onEvent?.(chunk);
      });
    });
  }

  /** Resolves at the next state event, to its time. */
  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#onEvent = () => {
        this.#onEvent = null;
        resolve(this.eventAt);
      };
    });
  }

  close(): void {
    this.#socket.on('error', () => undefined).destroy();
  }
}
