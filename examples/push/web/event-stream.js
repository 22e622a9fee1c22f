// Reads an event source (RFC 8620 7.3) by fetch. An EventSource can't send the token in a header,
// and needs a new ticket for each connection.
import { SignedOut } from './jmap.js';

/** The server writes a line at least every 30 s. After so long without one the network is gone. */
const SILENCE = 75_000;
/** It answers at once. A kept connection may be dead, and nothing says so. */
const ANSWER = 15_000;
/** The longest pause between two tries, in ms. */
const LONGEST = 60_000;

/**
 * Follows an event source until `signal` aborts, and connects again whenever it ends. `headers` are
 * those of each request, `lastEventId` is the id to go on from. It calls `onEvent({ id, type, data })`
 * for each event, and for an id without an event, whose `data` is "". Rejects with SignedOut where
 * the server refuses the token.
 */
export async function followEvents({ url, headers, lastEventId = null, onEvent, signal }) {
  // `id` is the last one that came, `retry` the pause in ms that the server asks for.
  const place = { id: lastEventId, retry: 3000 };
  for (let failures = 0; !signal.aborted; ) {
    const connection = new Connection(signal);
    try {
      const wait = await connection.read({ url, headers, place, onEvent });
      failures = 0;
      await pause(wait ?? place.retry, signal);
    } catch (error) {
      if (error instanceof SignedOut) throw error;
      // No network, or no server. The next connection tells what is missed meanwhile.
      failures += 1;
      // A random share: clients that lost one server don't come back at one moment.
      const wait = Math.min(place.retry * 2 ** Math.min(failures - 1, 10), LONGEST);
      await pause(wait * (0.5 + Math.random() / 2), signal);
    } finally {
      connection.close();
    }
  }
}

/** One request. It ends by itself after silence, since a lost network reports nothing. */
class Connection {
  #abort = new AbortController();
  #signal;
  #timer;

  constructor(signal) {
    this.#signal = AbortSignal.any([signal, this.#abort.signal]);
    this.#restartTimer(ANSWER);
  }

  close() {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  /**
   * Reads to the end of the stream, which a server that stops sends. Resolves to the ms that the
   * server asks to wait where it has too much to do, else to undefined.
   */
  async read({ url, headers, place, onEvent }) {
    const resume = place.id === null ? {} : { 'Last-Event-ID': place.id };
    const answer = await fetch(url, {
      headers: { ...headers, ...resume, Accept: 'text/event-stream' },
      cache: 'no-store',
      signal: this.#signal,
    });
    this.#restartTimer(SILENCE);
    if (answer.status === 401) throw new SignedOut('The server refuses the token.');
    if (!answer.ok) {
      const seconds = Number(answer.headers.get('Retry-After'));
      if (seconds > 0) return seconds * 1000;
      throw new Error(`The server answers ${answer.status}.`);
    }
    const takeLine = lineReader(place, onEvent);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      this.#restartTimer(SILENCE);
      // A CR at the end may be the first half of CR LF.
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) takeLine(line);
    }
  }

  #restartTimer(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(), ms);
  }
}

/** Returns a function that takes the lines of one stream, and keeps its place. */
function lineReader(place, onEvent) {
  let event = { type: 'message', data: '' };
  let isNew = false;
  return (line) => {
    if (line === '') {
      if (event.data !== '' || isNew) onEvent({ ...event, id: place.id });
      event = { type: 'message', data: '' };
      isNew = false;
      return;
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (name === 'event') event.type = value;
    if (name === 'data') event.data += event.data === '' ? value : `\n${value}`;
    if (name === 'retry' && /^\d+$/.test(value)) place.retry = Number(value);
    if (name === 'id') {
      isNew = value !== place.id;
      place.id = value;
    }
  };
}

/** Waits so many ms; shorter where the network comes back, or `signal` aborts. */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    }
    globalThis.addEventListener?.('online', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
