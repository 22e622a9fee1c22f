import type { Check } from './check.js';
import type { TransportName } from './client/connection.js';
import type { Exchange } from './client/exchange.js';
import { FencedError } from './client/fenced-ids.js';
import { NoAnswerError, StreamError } from './client/no-answer.js';
import { SessionError } from './subject/session.js';
import { UnexpectedError } from './unexpected.js';

/** `defect`: the check could not be done, by a fault of the runner's own. */
export type Status = 'passed' | 'failed' | 'notApplicable' | 'defect';

/** Why a check failed. */
export interface Failure {
  readonly message: string;
  /** The two sides of a comparison, where one failed. */
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** The last requests of the check with their answers, oldest first. */
  readonly exchanges: readonly Exchange[];
}

/** The result of a check. */
export interface Outcome {
  readonly check: Check;
  /** The type that it was run for; null of a check of the server. */
  readonly type: string | null;
  readonly transport: TransportName;
  readonly status: Status;
  /** Why it isn't applicable. */
  readonly reason?: string;
  /**
   * Whether it isn't applicable since the server refuses an object, or an update, that is legal as
   * far as the descriptor tells.
   */
  readonly isRefused?: true;
  readonly failure?: Failure;
  readonly ms: number;
}

/** The results of a run. */
export interface Results {
  readonly url: string;
  readonly transport: TransportName;
  readonly seed: number;
  /** Why the run ended early; absent where it didn't. */
  readonly ended?: string;
  /** Objects that were made and could not be removed. */
  readonly warnings?: readonly string[];
  readonly outcomes: readonly Outcome[];
}

/** Counts outcomes by their status. */
export function countStatuses(outcomes: readonly Outcome[]): Readonly<Record<Status, number>> {
  const counts = { passed: 0, failed: 0, notApplicable: 0, defect: 0 };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

/** Counts the checks that were not run because the server refuses legal objects. */
export const countRefused = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ isRefused }) => isRefused === true).length;

/** Of an error that `expect` throws, what it compared. */
interface Compared {
  readonly matcherResult?: { readonly expected?: unknown; readonly actual?: unknown };
}

/**
 * Returns whether an exception tells what a server did. The runner looked at it itself, or it is a
 * comparison of `expect`, also one with a value of another kind, such as null for a text.
 */
export const isExpectation = (error: unknown): boolean =>
  error instanceof UnexpectedError ||
  error instanceof StreamError ||
  error instanceof NoAnswerError ||
  error instanceof FencedError ||
  error instanceof SessionError ||
  (error instanceof Error &&
    ('matcherResult' in error || error.message.replaceAll(ANSI, '').startsWith('expect(')));

/**
 * Returns how a report shows an exception: its words, the two compared values, the last requests.
 */
export function describeFailure(error: unknown, exchanges: readonly Exchange[]): Failure {
  const words = error instanceof Error ? error.message : String(error);
  const message = isExpectation(error) ? words : ((error as Error).stack ?? words);
  const { matcherResult = {} } = error as Compared;
  return {
    message: message.replaceAll(ANSI, ''),
    ...('expected' in matcherResult ? { expected: matcherResult.expected } : {}),
    ...('actual' in matcherResult ? { actual: matcherResult.actual } : {}),
    exchanges,
  };
}

/** Colours of a terminal, which `expect` writes where it believes to have one. */
const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
