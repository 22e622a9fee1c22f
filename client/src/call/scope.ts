/** Runs tasks that a signal of the caller's, or the end of the client, aborts. */
export interface Scope {
  /** Rejects with the signal's reason as soon as it is aborted, whatever the task waits for. */
  run<T>(outer: AbortSignal | undefined, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all tasks, and those to come. */
  close(): void;
}

export function makeScope(): Scope {
  const whole = new AbortController();
  return {
    run(outer, task) {
      const own = new AbortController();
      const sources = [whole.signal, ...(outer === undefined ? [] : [outer])];
      return new Promise((resolve, reject) => {
        const end = (): void => {
          const source = sources.find(({ aborted }) => aborted);
          own.abort(source?.reason);
          reject(own.signal.reason as Error);
        };
        for (const source of sources) source.addEventListener('abort', end);
        const leave = (): void => {
          for (const source of sources) source.removeEventListener('abort', end);
        };
        if (sources.some(({ aborted }) => aborted)) end();
        else task(own.signal).then(resolve, reject).finally(leave);
      });
    },
    close: () => whole.abort(new DOMException('The client is closed.', 'AbortError')),
  };
}
