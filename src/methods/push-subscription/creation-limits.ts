import type { PushTransaction, PushUsage } from '../../accounts/push-port.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { type SetError, setError } from '../../protocol/errors.js';
import {
  COUNTED,
  HOUR,
  MAX_CREATIONS,
  MAX_PER_TOKEN,
  MAX_PER_USER,
  MAX_UNVERIFIED,
} from './lifetime.js';

/**
 * The limits of creations (RFC 8620 8.6), counted in the database: they hold for all servers, and
 * over restarts. Destroying a subscription gives no creation back.
 */
export class CreationLimits {
  readonly #transaction: PushTransaction;
  readonly #now: number;
  /** As they were before the call. */
  #before: { readonly usage: PushUsage; readonly creations: number } | null = null;
  readonly #ofHosts = new Map<string, number>();
  #made = 0;

  constructor(transaction: PushTransaction, now: number) {
    this.#transaction = transaction;
    this.#now = now;
  }

  /** Returns why no further one may be created for the host; null if it may: then it counts. */
  async refuse(host: string): Promise<SetError | null> {
    this.#before ??= {
      usage: await this.#transaction.usage(this.#now - COUNTED),
      creations: await this.#transaction.countCreations(this.#now - HOUR),
    };
    const { usage, creations } = this.#before;
    if (usage.ofToken + this.#made >= MAX_PER_TOKEN)
      return tooMany(`The token has ${MAX_PER_TOKEN} push subscriptions`, usage);
    if (usage.ofUser + this.#made >= MAX_PER_USER)
      return tooMany(`The tokens of the user have ${MAX_PER_USER} push subscriptions`, usage);
    if (creations + this.#made >= MAX_CREATIONS) return TOO_FAST;
    const ofHost =
      this.#ofHosts.get(host) ?? (await this.#transaction.countUnverified(host, this.#now - HOUR));
    if (ofHost >= MAX_UNVERIFIED) return TOO_FAST_FOR_HOST;
    this.#ofHosts.set(host, ofHost + 1);
    this.#made += 1;
    return null;
  }
}

/** Names the oldest one of the token: another token's is not for this client to see. */
function tooMany(what: string, { oldest }: PushUsage): SetError {
  const which =
    oldest === null
      ? ''
      : ` The oldest one of this token is ${oldest.id} of ${formatUtcDate(oldest.created)}.`;
  return setError('overQuota', `${what}, which is the most.${which}`);
}

export const TOO_FAST = setError(
  'rateLimit',
  `The user has created ${MAX_CREATIONS} push subscriptions within an hour, refused ones for ` +
    'their "url" included. Try again later.',
);
const TOO_FAST_FOR_HOST = setError(
  'rateLimit',
  `Within an hour ${MAX_UNVERIFIED} push subscriptions were created for the host of "url" that ` +
    'nobody has verified. Try again later.',
);
