/** A library that keeps objects and lists of them: the client, or one that it is compared with. */
export interface Contender {
  /** Takes so many objects. */
  open(size: number): Promise<Scene>;
}

export interface Scene {
  /** Shows a list; resolves to the number of its rows once they are there. */
  show(list: ListName): Promise<number>;
  /**
   * Brings other versions of objects, as a server does; resolves when lists have them, to the
   * milliseconds that it took.
   */
  change(numbers: readonly number[]): Promise<number>;
  /** Writes a title as a user does; returns the milliseconds until it is shown. */
  write(number: number, title: string): number | Promise<number>;
  close(): Promise<void>;
}

/**
 * `large`: nine objects of ten, by title and rank. `other`: the same, by rank and title. `small`:
 * the first 50 that are done.
 */
export type ListName = 'large' | 'other' | 'small';

export const LIMIT = 50;
