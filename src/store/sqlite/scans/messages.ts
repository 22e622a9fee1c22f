import type { Row } from '../../sql/objects.js';
import type { Parameter } from '../reader.js';

/** What a thread that reads is told, and answers: only what can be copied. */

export interface ThreadData {
  /** The database's file. */
  readonly file: string;
}

/** `end`: of the work and its transaction; not answered, nor is `close`. */
export type Message = Statement | Checkpoint | 'end' | 'close';

/** Moves what is in the write-ahead log into the database; TRUNCATE empties the log, too. */
export interface Checkpoint {
  readonly checkpoint: 'PASSIVE' | 'TRUNCATE';
}

/** A statement of the work that has the thread; the first one begins its transaction. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** After so many characters of text no more rows are read. */
  readonly maxOctets: number;
  /** How many milliseconds are left: each thread has a clock of its own. */
  readonly left: number;
}

export interface Answer {
  readonly rows: readonly Row[];
}

/** In the order of what was asked; a checkpoint answers no rows. */
export type Outcome = Answer | { readonly unavailable: string } | { readonly error: string };

/** Told once, before all outcomes: the thread has the file open. */
export const OPEN = 'open';
