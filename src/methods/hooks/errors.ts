/** A hook that ran over HOOK_TIMEOUT: its call is answered `serverFail`, and says so. */
export class HookTimeoutError extends Error {
  override readonly name = 'HookTimeoutError';

  constructor(what: string, timeout: number) {
    super(`The hook ${what} took longer than HOOK_TIMEOUT (${timeout} ms)`);
  }
}

/** An operation of a `tx` whose transaction has ended, or that was never there. */
export class HookHandleError extends Error {
  override readonly name = 'HookHandleError';
}
