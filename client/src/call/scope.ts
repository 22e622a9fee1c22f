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
    run(outer, task) {
      const own = new AbortController();
      return new Promise((resolve, reject) => {
        const end = (reason: unknown): void => {
          own.abort(reason);
          reject(own.signal.reason as Error);
        };
        const follow = (): void => end(outer?.reason);
        if (closed !== undefined || outer?.aborted) {
          end(closed ?? outer?.reason);
          return;
        }
        open.add(end);
        outer?.addEventListener('abort', follow);
        const leave = (): void => {
          open.delete(end);
          outer?.removeEventListener('abort', follow);
        };
        task(own.signal).then(resolve, reject).finally(leave);
      });
    },
    close() {
      closed ??= new DOMException('The client is closed.', 'AbortError');
      for (const end of open) end(closed);
    },
  };
}
