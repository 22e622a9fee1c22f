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
    super('Another client has the store by now.');
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
  return new StoreLostError('The data was removed.');
}
