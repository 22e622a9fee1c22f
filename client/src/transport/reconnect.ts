import { type CallError, isFinal, RequestError } from '../call/errors.js';
import { Backoff } from '../sync/backoff.js';
import { Pause } from '../sync/pause.js';
import type { Push, PushStatus } from './push.js';

/** Where a receiver goes on; event source and WebSocket take the ids of each other. */
export interface Place {
  /** The id of the last states that it was told. */
  id: string;
  /** The least time to wait before the next connection, in ms. */
  retry: number;
}

/** The id of a receiver that knows nothing: a server that can't read an id tells all. */
export const NO_EVENT = '0';

/** Returns the place of a receiver that knows nothing. */
export function makePlace(): Place {
  return { id: NO_EVENT, retry: 0 };
}

/** One try of a connection. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Tells that the connection is open. */
  open(): void;
}

/** A connection that has lived as long was a good one, ms: the next wait is a short one. */
const STEADY = 10_000;

/** A server that refuses the connection is asked so many times more rarely. */
const RARELY = 60;

/**
 * A connection that comes back until it is closed. `connect` resolves when the server has ended it,
 * and rejects with a CallError. The time between two tries grows from failure to failure, and is
 * at least that of `place`.
 */
export class KeptConnection implements Push {
  readonly #connect: (attempt: Attempt) => Promise<void>;
  readonly #place: Place;
  readonly #tell: (status: PushStatus) => void;
  readonly #backoff = new Backoff();
  readonly #pause = new Pause();
  #controller = new AbortController();
  #isClosed = false;
  /** A try that began before the wish doesn't fulfil it, unless it succeeds. */
  #isWished = false;

  constructor(
    connect: (attempt: Attempt) => Promise<void>,
    place: Place,
    onStatus: (status: PushStatus) => void = () => undefined,
  ) {
    this.#connect = connect;
    this.#place = place;
    this.#tell = onStatus;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#tell({ state: 'connecting' });
      this.#isWished = false;
      const status = await this.#try();
      if (this.#isClosed) return;
      this.#tell(status);
      const wait = this.#backoff.next(status.error, this.#place.retry);
      if (!this.#isWished)
        await this.#pause.wait(status.state === 'waiting' ? wait : wait * RARELY);
    }
  }

  retry(): void {
    this.#isWished = true;
    this.#pause.end();
  }

  close(): void {
    this.#isClosed = true;
    this.#controller.abort(new DOMException('Push is closed.', 'AbortError'));
    this.#pause.end();
  }

  async #try(): Promise<PushStatus> {
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    let openedAt = Number.POSITIVE_INFINITY;
    const open = (): void => {
      if (signal.aborted) return;
      openedAt = performance.now();
      this.#tell({ state: 'live' });
    };
    try {
      await this.#connect({ signal, open });
      return { state: 'waiting' };
    } catch (error) {
      return judgeEnd(error as CallError);
    } finally {
      const life = performance.now() - openedAt;
      if (life >= STEADY) this.#backoff.reset();
      // A wish means nothing to a connection that is there.
      this.#isWished &&= life < 0;
      this.#controller.abort();
    }
  }
}

/**
 * Returns how it goes on after an error: an answer of 4xx is final, but for a busy server's. By 204
 * a server says that it tells of nothing.
 */
function judgeEnd(error: CallError): PushStatus {
  if (error.type === 'needsAuth') return { state: 'needsAuth', error };
  const isNothing = error instanceof RequestError && error.status === 204;
  return { state: isNothing || isFinal(error) ? 'refused' : 'waiting', error };
}
