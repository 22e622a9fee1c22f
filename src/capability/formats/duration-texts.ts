import { type ExactNumber, numberKey } from './number-key.js';

/** Digits of each part of a duration, and of the fraction of its seconds. */
const DIGITS = 10;

const PART = `(\\d{1,${DIGITS}})`;
const SECONDS = `${PART}(?:\\.(\\d{0,${DIGITS - 1}}[1-9]))?S`;
const DURATION = new RegExp(
  `^([+-]?)P(?!$)(?:${PART}W)?(?:${PART}D)?` +
    // Minutes stand between hours and seconds even where they are 0.
    `(?:T(?!$)(?:${PART}H)?(?:${PART}M)?(?:${SECONDS})?)?$`,
);
const GAP = /\dH\d+(?:\.\d+)?S$/;

/** RFC 8984 1.4.6 says of a fraction: none that is zero. 1.4.7 allows a sign in front. */
export function isDuration(text: string): boolean {
  return DURATION.test(text) && !GAP.test(text);
}

export function isUnsignedDuration(text: string): boolean {
  return text.startsWith('P') && isDuration(text);
}

/**
 * Returns a key for the length of a duration; null for what is none. A week counts as seven days
 * and a day as 24 hours: their real length depends on where they begin.
 */
export function durationKey(text: string): string | null {
  const match = isDuration(text) ? DURATION.exec(text) : null;
  if (match === null) return null;
  const [, sign, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0, fraction = ''] = match;
  const allDays = BigInt(weeks) * 7n + BigInt(days);
  const allHours = allDays * 24n + BigInt(hours);
  const whole = (allHours * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const isZero = whole === 0n && fraction === '';
  const number: ExactNumber = {
    isNegative: sign === '-' && !isZero,
    whole: whole === 0n ? '' : String(whole),
    fraction,
  };
  return numberKey(number);
}
