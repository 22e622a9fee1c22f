import { randomBytes } from 'node:crypto';
import { HookRefusal } from '../capability/refusal.js';
import { MethodError, UnavailableError, UnknownOutcomeError } from '../protocol/errors.js';
import { HookTimeoutError } from './hook-errors.js';

/** Is told of every failure that nobody expected, with the reference that its response shows. */
export type FailureLog = (error: unknown, reference: string) => void;

/** Is told why clients are answered `serverUnavailable`, which says no reason. */
export type UnavailableLog = (error: unknown) => void;

/** Turns a thrown value into a call's answer: nothing foreign leaves the server. */
export function toMethodError(
  error: unknown,
  log: FailureLog,
  unavailable: UnavailableLog = () => undefined,
): MethodError {
  if (error instanceof MethodError) return error;
  if (error instanceof HookRefusal) return new MethodError(error.type, error.message);
  if (error instanceof UnavailableError) unavailable(error);
  if (error instanceof UnknownOutcomeError) {
    return new MethodError(
      'serverUnavailable',
      'The database was lost while the call was being saved: all of it was changed, or nothing. ' +
        'Synchronise before you try again.',
    );
  }
  if (error instanceof UnavailableError) {
    return new MethodError(
      'serverUnavailable',
      'The server is too busy or ran out of time; nothing was changed. Try again later.',
    );
  }
  const reference = randomBytes(8).toString('hex');
  log(error, reference);
  if (error instanceof HookTimeoutError) {
    const description = `${error.message}; nothing was changed. The log has it as ${reference}.`;
    return new MethodError('serverFail', description);
  }
  return new MethodError('serverFail', `An unexpected failure; the log has it as ${reference}.`);
}
