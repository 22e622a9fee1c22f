import { type CallError, RequestError } from '../call/errors.js';
import { Backoff } from '../sync/backoff.js';
import type { Push, PushStatus } from './push.js';

/** Where a receiver goes on; event source and WebSocket take the ids of each other. */
export interface Place {
  /** The id of the last states that it was told. */
  id: string;
  /** The least time to wait before the next connection, in ms. */
  retry: number;
}

/** Returns the place of a receiver that knows nothing: a server that can't read an id tells all. */
export function makePlace(): Place {
  return { id: '0', retry: 0 };
}

/** One try of a connection. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Tells that the connection is open. */
  open(): void;
  /** Ends it: its signal is aborted with the error. */
  fail(error: CallError): void;
}

/** A connection that has lived as long was a good one, ms: the next wait is a short one. */
const STEADY = 10_000;

/**
 * Keeps a connection open until it is closed. `connect` resolves when the server has ended it, and
 * rejects with a CallError. The time between two tries grows from failure to failure, and is at
 * least that of `place`.
 */
export function keepConnected(
  connect: (attempt: Attempt) => Promise<void>,
  place: Place,
  onStatus?: (status: PushStatus) => void,
): Push {
  const backoff = new Backoff();
  let isClosed = false;
  /** A try that began before the wish doesn't fulfil it, unless it succeeds. */
  let isWished = false;
  let controller = new AbortController();
  let wake = (): void => undefined;

  /** Waits until `wake` is called, at most so long; null: without an end. */
  const pause = (milliseconds: number | null): Promise<void> =>
    new Promise((resolve) => {
      const timer = milliseconds === null ? undefined : setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isWished) wake();
    });
  const tryOnce = async (): Promise<PushStatus> => {
    controller = new AbortController();
    const { signal } = controller;
    let openedAt = Number.POSITIVE_INFINITY;
    const open = (): void => {
      if (signal.aborted) return;
      openedAt = performance.now();
      isWished = false;
      onStatus?.({ state: 'live' });
    };
    try {
      await connect({ signal, open, fail: (error) => controller.abort(error) });
      return { state: 'waiting' };
    } catch (error) {
      return judgeEnd(error as CallError);
    } finally {
      if (performance.now() - openedAt >= STEADY) backoff.reset();
      controller.abort();
    }
  };
  const run = async (): Promise<void> => {
    while (!isClosed) {
      onStatus?.({ state: 'connecting' });
      isWished = false;
      const status = await tryOnce();
      if (isClosed) return;
      onStatus?.(status);
      const wait =
        status.state === 'waiting'
          ? backoff.next(Math.max(place.retry, readRetryAfter(status.error)))
          : null;
      await pause(wait);
    }
  };
  void run();
  return {
    retry() {
      isWished = true;
      wake();
    },
    close() {
      isClosed = true;
      controller.abort(new DOMException('Push is closed.', 'AbortError'));
      wake();
    },
  };
}

/** Returns the ms that a server asks for. */
function readRetryAfter(error: CallError | undefined): number {
  return error instanceof RequestError ? (error.retryAfter ?? 0) * 1000 : 0;
}

/** Statuses and errors of a server that is busy. */
const BUSY: readonly (number | string)[] = [408, 429, 'limit'];

/** Returns how it goes on after an error: an answer of 4xx is final, but for a busy server's. */
function judgeEnd(error: CallError): PushStatus {
  if (error.type === 'needsAuth') return { state: 'needsAuth', error };
  const { type, status } = error instanceof RequestError ? error : { type: '', status: 0 };
  const isFinal = status >= 400 && status < 500 && !BUSY.includes(status) && !BUSY.includes(type);
  return { state: isFinal ? 'refused' : 'waiting', error };
}
