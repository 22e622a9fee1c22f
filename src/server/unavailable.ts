import { Seldom } from '../runtime/seldom.js';
import type { Logger } from './logging.js';

/** Causes that are remembered: more than there are kinds of failures. */
const CAUSES = 100;
/** The most nested causes in a line of the log. */
const DEPTH = 4;

/**
 * Makes a function that logs why clients get 503, which gives no reason: the database or blob store
 * can't serve now (a full disk, a lock, a lost connection). It logs each cause once, then at most
 * every 30 seconds. It logs messages and codes of errors, never their details, which may hold data.
 */
export function createUnavailableLog(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  const seldom = new Seldom(CAUSES, now);
  return (error) => {
    const reason = reasonOf(error);
    const admitted = seldom.admit(reason);
    if (admitted !== null) log.warn({ reason, ...admitted }, 'unavailable');
  };
}

/** Returns the messages of an error and of its causes, with their codes. */
export function reasonOf(error: unknown): string {
  const texts: string[] = [];
  for (let at = error; at instanceof Error && texts.length < DEPTH; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    const message = messageOf(at);
    const hasCode =
      code === '' || message.includes(code) || texts.some((text) => text.includes(code));
    texts.push(hasCode ? message : `${message} (${code})`);
  }
  return texts.filter((text) => text !== '').join(' <- ');
}

/** Returns an error's message, or its parts' (a name with several addresses fails for each). */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(messageOf).join('; ');
}
