import { connect, type Socket } from 'node:net';
import type { Client } from '../support/client.js';

export interface RawStreamOptions {
  readonly query?: string;
  readonly lastEventId?: string;
}

/** An event source over a bare socket, which can stop reading and break off. */
export class RawStream {
  readonly socket: Socket;
  /** State events that came. */
  events = 0;
  /** The data of the last one. */
  last = '';
  /** The last `retry`, ms. */
  retry = 0;
  /** How the connection ended: in order, which ends the response, or by a reset. */
  end: 'whole' | 'broken' | null = null;
  /** Resolves when the first block has come; rejects if the connection ends before. */
  readonly opened: Promise<void>;
  #rest = '';

  constructor({ url, token }: Client, { query, lastEventId }: RawStreamOptions = {}) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    this.socket = socket;
    const id = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
    socket.write(
      `GET /jmap/eventsource?${query ?? 'types=*&closeafter=no&ping=300'} HTTP/1.1\r\n` +
        `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${id}\r\n`,
    );
    this.opened = new Promise((resolve, reject) => {
      socket.setEncoding('latin1').on('data', (chunk) => {
        this.#read(String(chunk));
        if (this.retry > 0) resolve();
      });
      socket.once('close', (isError) => {
        this.end = isError ? 'broken' : 'whole';
        reject(new Error('The stream ended before its first event.'));
      });
    });
    this.opened.catch(() => undefined);
    socket.on('error', () => undefined);
  }

  /** Breaks the connection off with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  #read(chunk: string): void {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const retry = /^retry: (\d+)$/m.exec(block)?.[1];
      if (retry !== undefined) this.retry = Number(retry);
      const data = /^event: state\n(?:id: .*\n)?data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      this.events += 1;
      this.last = data;
    }
  }
}
