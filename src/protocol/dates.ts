/**
 * UTCDate and Date (RFC 8620 1.4): RFC 3339 date-times, capital letters, no fraction when that is
 * zero, in UTC or with any offset. LocalDateTime (RFC 8984 1.4.4): the same without an offset.
 */

const OFFSET = /([+-])([01]\d|2[0-3]):([0-5]\d)$/;
const FRACTION = /\.(\d+)/;

/**
 * Returns milliseconds since 1970; null for what is no UTCDate, and for leap seconds and 24:00,
 * which our time line lacks. Cuts digits beyond the millisecond and accepts a zero fraction.
 */
export function parseUtcDate(text: string): number | null {
  const { length } = text;
  if (length < 20 || text.charCodeAt(length - 1) !== LETTER_Z) return null;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return null;
  if (text.charCodeAt(10) !== LETTER_T) return null;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return null;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (Number.isNaN(year + month + day + hour + minute + second)) return null;
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const milliseconds = length === 20 ? 0 : fraction(text);
  if (milliseconds === null) return null;
  // An era later: to `Date.UTC` the years 0 to 99 are of the 20th century.
  const time = Date.UTC(year + 400, month - 1, day, hour, minute, second) - ERA * DAY;
  // It goes on into the next month where a day is none of this one.
  return day > 28 && new Date(time).getUTCDate() !== day ? null : time + milliseconds;
}

/**
 * Returns milliseconds since 1970, or null for what is no Date: a UTCDate, or the like with an
 * offset.
 */
export function parseDate(text: string): number | null {
  const offset = OFFSET.exec(text);
  if (offset === null) return parseUtcDate(text);
  const local = parseUtcDate(`${text.slice(0, offset.index)}Z`);
  if (local === null) return null;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return local - (offset[1] === '-' ? -minutes : minutes) * 60_000;
}

/**
 * Returns a Date as it is kept: its offset stays; the fraction is cut to milliseconds, without
 * zeros.
 */
export function canonicalDate(text: string): string {
  return text.replace(FRACTION, (_all, digits: string) => {
    const kept = digits.slice(0, 3).replace(/0+$/, '');
    return kept === '' ? '' : `.${kept}`;
  });
}

/**
 * Returns whether a text is a LocalDateTime. Its order is that of its octets, so there is one text
 * for a time: no trailing zeros. At most nine digits, so that it is as short as an index needs it.
 */
export function isLocalDateTime(text: string): boolean {
  return !/\.\d*0$|\.\d{10}/.test(text) && parseUtcDate(`${text}Z`) !== null;
}

/**
 * Returns the UTCDate of a time in ms (years 0000 to 9999): the shortest fraction, none when it is
 * zero. Throws RangeError for a time outside those years, which no stored date is.
 */
export function formatUtcDate(ms: number): string {
  // As a Date has it: whole milliseconds, towards zero.
  const time = Math.trunc(ms);
  if (!(time >= FIRST && time < END)) {
    throw new RangeError(`No UTCDate: ${ms} ms lies outside 0000 to 9999.`);
  }
  const text = fullText(time);
  if (time % 10 !== 0) return text;
  if (time % 1000 === 0) return `${text.slice(0, 19)}Z`;
  return `${text.slice(0, time % 100 === 0 ? 21 : 22)}Z`;
}

/**
 * Returns a time with its milliseconds, as `Date.toISOString` has it, which takes three times as
 * long: an answer has two dates an object. Years begin with March here, so that a leap day is their
 * last. The text is made at once, since one put together of parts is copied when the answer is
 * written.
 */
function fullText(time: number): string {
  const sinceEpoch = Math.floor(time / DAY);
  const since = sinceEpoch + DAYS_TO_1970;
  const era = quotient(since, ERA);
  const ofEra = since - era * ERA;
  const leaps = quotient(ofEra, 1460) - quotient(ofEra, 36_524) + quotient(ofEra, 146_096);
  const yearOfEra = quotient(ofEra - leaps, 365);
  const leapDays = quotient(yearOfEra, 4) - quotient(yearOfEra, 100);
  const ofYear = ofEra - 365 * yearOfEra - leapDays;
  const fromMarch = quotient(5 * ofYear + 2, 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = ofYear - quotient(153 * fromMarch + 2, 5) + 1;
  const year = 400 * (era - 1) + yearOfEra + (month < 3 ? 1 : 0);
  const century = quotient(year, 100);
  const milliseconds = time - sinceEpoch * DAY;
  const seconds = quotient(milliseconds, 1000);
  const minutes = quotient(seconds, 60);
  const hours = quotient(minutes, 60);
  const hundredths = quotient(milliseconds - 1000 * seconds, 10);
  // biome-ignore format: in groups, as it is read
  return String.fromCharCode(
    tens(century), ones(century), tens(year - 100 * century), ones(year), DASH,
    tens(month), ones(month), DASH, tens(day), ones(day), LETTER_T,
    tens(hours), ones(hours), COLON,
    tens(minutes - 60 * hours), ones(minutes), COLON,
    tens(seconds - 60 * minutes), ones(seconds), DOT,
    tens(hundredths), ones(hundredths), ones(milliseconds), LETTER_Z,
  );
}

const DAY = 86_400_000;
const DIGIT_0 = 0x30;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/** The times of the years 0000 to 9999: from FIRST on, before END. */
const FIRST = -62_167_219_200_000;
const END = 253_402_300_800_000;

/** Days of 400 years, and from 1 March of the year -400 to 1970. */
const ERA = 146_097;
const DAYS_TO_1970 = 719_468 + ERA;

/** Of numbers that have no more than 31 bits, without a fraction. */
function quotient(value: number, divisor: number): number {
  return (value / divisor) | 0;
}

function tens(value: number): number {
  return DIGIT_0 + quotient(value, 10);
}

function ones(value: number): number {
  return DIGIT_0 + value - 10 * quotient(value, 10);
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_0 + 9;
}

/** Returns the number of two digits; NaN where one is no digit. */
function twoDigits(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  return isDigit(first) && isDigit(second) ? 10 * (first - DIGIT_0) + second - DIGIT_0 : Number.NaN;
}

/** Returns the milliseconds of ".", digits and "Z" behind the seconds; null for anything else. */
function fraction(text: string): number | null {
  const end = text.length - 1;
  if (text.charCodeAt(19) !== DOT || end === 20) return null;
  let milliseconds = 0;
  let unit = 100;
  for (let at = 20; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) return null;
    milliseconds += Math.floor(unit) * (code - DIGIT_0);
    unit /= 10;
  }
  return milliseconds;
}
