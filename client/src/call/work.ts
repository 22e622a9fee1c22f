import type { Arguments } from './cut.js';
import type { CallError } from './errors.js';
import type { Outcome } from './methods.js';
import type { RecordedCall } from './recording.js';

/** A recorded call on its way to an outcome. */
export interface Work {
  /** The method call id of its first part. */
  readonly id: string;
  readonly call: RecordedCall;
  /** The arguments of each call that it is cut into; absent where a reference is unknown yet. */
  parts?: readonly Arguments[] | undefined;
  /** Calls of the same request to whose answers the server resolves its references. */
  sources: readonly Work[];
  /** How many parts have been put into a request, and how many of these are answered. */
  sent: number;
  answered: number;
  /** The answers to its parts so far, as one. */
  answer?: Arguments;
  outcome?: Outcome<Arguments>;
}

export function makeWork(call: RecordedCall, index: number): Work {
  return { id: String(index), call, sources: [], sent: 0, answered: 0 };
}

/** Ends a call without its answer, unless it has an outcome. */
export function failWork(work: Work, error: CallError): void {
  const partial = work.answer === undefined ? {} : { partial: work.answer };
  work.outcome ??= { ok: false, error, ...partial };
}
