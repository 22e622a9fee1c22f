/** The data can't be reached any more, or someone has removed it. */
export class StoreLostError extends Error {
  override readonly name = 'StoreLostError';
  readonly type = 'storeLost';
}

/** Another one has raised the epoch of the store: nothing of the commit was written. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
  readonly type = 'fenced';

  constructor() {
    super('The epoch of the store is another one.');
  }
}

/** There is no room for the data: nothing of the commit was written. */
export class QuotaError extends Error {
  override readonly name = 'QuotaError';
  readonly type = 'quota';
}

export function makeClosedError(): StoreLostError {
  return new StoreLostError('The store is closed.');
}

export function makeWipedError(): StoreLostError {
  return new StoreLostError('The data of the store was removed.');
}
