import { setTimeout as sleep } from 'node:timers/promises';
import { asMap, type Json } from './json.js';
import { DeclinedError } from './no-answer.js';
import type { Wire } from './watching.js';

/** Holds the parts of an answer that can ask for a pause. */
export interface Paused {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The parsed body, null where it is no JSON. */
  readonly json: Json;
}

/** ms between two requests at the least, and where an answer doesn't say how many. */
const LEAST = 250;
const USUAL = 1000;

/** Names the problem of a request that is beyond a limit of the session (RFC 8620 3.6.1). */
const LIMIT = 'urn:ietf:params:jmap:error:limit';

/**
 * Returns the ms after which a request may be sent again (RFC 6585 4, RFC 9110 10.2.3); null where
 * the answer asks for no pause. A request beyond a limit of the session stays beyond it.
 */
export function readPauseMs({ status, retryAfter, json }: Paused): number | null {
  if (status !== 429 && (status !== 503 || retryAfter === null)) return null;
  if (asMap(json)['type'] === LIMIT) return null;
  const told = retryAfter ?? '';
  const ms = /^\d+$/.test(told) ? Number(told) * 1000 : Date.parse(told) - Date.now();
  return Number.isNaN(ms) ? USUAL : Math.max(ms, LEAST);
}

/**
 * Sends a request, and sends it again after each pause that the server asks for. Throws
 * DeclinedError where the pauses take longer than the server may for an answer.
 */
export async function askPatiently<T>(
  line: string,
  wire: Wire,
  send: () => Promise<T>,
  look: (answer: T) => Paused | Promise<Paused>,
): Promise<T> {
  for (let waited = 0; ; ) {
    const answer = await send();
    const told = await look(answer);
    const pause = readPauseMs(told);
    if (pause === null) return answer;
    waited += pause;
    if (waited > wire.patience)
      throw new DeclinedError(
        'The server takes no more requests',
        `${line} answers ${told.status} with Retry-After ${told.retryAfter ?? '(none)'}, and ` +
          `${wire.patience / 1000} s are over before (--timeout)`,
      );
    await sleep(pause);
  }
}
