/** The data of a store can't be reached any more: the disk, the browser or a user took it. */
export class StoreLostError extends Error {
  override readonly name = 'StoreLostError';
}

/** Another client has opened the data of a store since, and has it for itself. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}
