import { hash, timingSafeEqual } from 'node:crypto';
import type { PushSubscription, PushSubscriptionChange } from '../../accounts/push-port.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { HOUR, MAX_WRONG_CODES } from './lifetime.js';

/** The effect of a code on the subscription that a client gives it for. */
export interface JudgedCode {
  /** Null: it is the right one. */
  readonly error: SetError | null;
  readonly change: PushSubscriptionChange;
}

/**
 * Compares a code with the one that was sent, in constant time. Counts wrong ones; after too many
 * of them within an hour no code is compared.
 */
export function judgeCode(
  subscription: Pick<PushSubscription, 'code' | 'isVerified' | 'wrongCodes' | 'wrongSince'>,
  given: string,
  now: number,
): JudgedCode {
  const { wrongSince } = subscription;
  const isCounting = wrongSince !== null && wrongSince <= now && now - wrongSince < HOUR;
  const wrong = isCounting ? subscription.wrongCodes : 0;
  if (wrong >= MAX_WRONG_CODES) return { error: TOO_MANY, change: {} };
  if (isEqual(given, subscription.code))
    return { error: null, change: subscription.isVerified ? {} : { verified: now } };
  const change = { wrongCodes: wrong + 1, wrongSince: isCounting ? wrongSince : now };
  return { error: WRONG, change };
}

const WRONG = setError(
  'invalidProperties',
  '"verificationCode" is not the code that was sent to the URL of this subscription.',
  { properties: ['verificationCode'] },
);
const TOO_MANY = setError(
  'rateLimit',
  `More than ${MAX_WRONG_CODES} wrong codes for this subscription within an hour. Try again later.`,
);

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
