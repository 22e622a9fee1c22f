/** Runs tasks that a signal of the caller's, or the end of the client, aborts. */
export interface Scope {
  /** Rejects with the signal's reason as soon as it is aborted, whatever the task waits for. */
  run<T>(outer: AbortSignal | undefined, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all tasks, and those to come. */
  close(): void;
}

export function makeScope(): Scope {
  const open = new Set<(reason: unknown) => void>();
  let closed: DOMException | undefined;
  return {
    async run(outer, task) {
      const { signal, abort, leave } = followSignal(outer);
      if (closed !== undefined) abort(closed);
      open.add(abort);
      try {
        return await runUntil(signal, task);
      } finally {
        open.delete(abort);
        leave();
      }
    },
    close() {
      closed ??= new DOMException('The client is closed.', 'AbortError');
      for (const abort of open) abort(closed);
    },
  };
}

/** Rejects with the signal's reason as soon as it is aborted, whatever the task waits for. */
export async function runUntil<T>(
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    task(signal).then(resolve, reject);
  });
}

/** Returns a signal that `abort` aborts, and another signal until `leave` is called. */
export function followSignal(outer?: AbortSignal): {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly leave: () => void;
} {
  const own = new AbortController();
  const leave = (): void => outer?.removeEventListener('abort', follow);
  const abort = (reason: unknown): void => {
    own.abort(reason);
    leave();
  };
  const follow = (): void => abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow);
  return { signal: own.signal, abort, leave };
}
