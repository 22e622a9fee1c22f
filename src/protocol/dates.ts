/**
 * UTCDate and Date (RFC 8620 1.4): RFC 3339 date-times, capital letters, no fraction when that is
 * zero, in UTC or with any offset. LocalDateTime (RFC 8984 1.4.4): the same without an offset.
 */

const OFFSET = /([+-])([01]\d|2[0-3]):([0-5]\d)$/;
const FRACTION = /\.(\d+)/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Milliseconds since 1970, or null for what is no UTCDate. Digits beyond the millisecond are cut
 * (D10); a zero fraction is taken and so normalised. Leap seconds and 24:00 have no place on our
 * time line: null.
 */
export function parseUtcDate(text: string): number | null {
  if (text === lastText) return lastValue;
  const value = readUtcDate(text);
  // What is none may be long, and is not kept.
  if (value !== null) {
    lastValue = value;
    lastText = text;
  }
  return value;
}

// Objects that are written together mostly have one time in common, and each has it twice.
let lastText: string | null = null;
let lastValue = Number.NaN;

function readUtcDate(text: string): number | null {
  const { length } = text;
  if (length < 20 || text.charCodeAt(length - 1) !== LETTER_Z) return null;
  for (let at = 0; at < SEPARATORS.length; at += 1) {
    const code = text.charCodeAt(at);
    const wanted = SEPARATORS.charCodeAt(at);
    if (wanted === DIGIT_0 ? !isDigit(code) : code !== wanted) return null;
  }
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const milliseconds = length === 20 ? 0 : fraction(text);
  if (milliseconds === null) return null;
  return startOfDay(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
}

/** Milliseconds since 1970, or null for what is no Date: a UTCDate, or the like with an offset. */
export function parseDate(text: string): number | null {
  const offset = OFFSET.exec(text);
  if (offset === null) return parseUtcDate(text);
  const local = parseUtcDate(`${text.slice(0, offset.index)}Z`);
  if (local === null) return null;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return local - (offset[1] === '-' ? -minutes : minutes) * 60_000;
}

/** A Date as it is kept: its offset stays; the fraction is cut to milliseconds, without zeros (D10). */
export function canonicalDate(text: string): string {
  return text.replace(FRACTION, (_all, digits: string) => {
    const kept = digits.slice(0, 3).replace(/0+$/, '');
    return kept === '' ? '' : `.${kept}`;
  });
}

/**
 * Its order is that of its octets, so there is one text for a time: no trailing zeros. At most nine
 * digits, so that it is as short as an index needs it.
 */
export function isLocalDateTime(text: string): boolean {
  return !/\.\d*0$|\.\d{10}/.test(text) && parseUtcDate(`${text}Z`) !== null;
}

/**
 * The UTCDate of a time in ms (years 0000 to 9999): the shortest fraction, none when it is zero.
 * Throws RangeError for a time outside those years, which no stored date is.
 */
export function formatUtcDate(ms: number): string {
  if (ms !== lastMs) {
    lastFormatted = writeUtcDate(ms);
    lastMs = ms;
  }
  return lastFormatted;
}

let lastMs = Number.NaN;
let lastFormatted = '';

function writeUtcDate(ms: number): string {
  // As a Date has it: whole milliseconds, towards zero.
  const time = Math.trunc(ms);
  const day = Math.floor(time / DAY);
  // Times that are read and written together are mostly of few days.
  if (day !== lastDay) {
    lastDate = dateText(ms);
    lastDay = day;
  }
  const rest = time - day * DAY;
  const seconds = Math.floor(rest / 1000);
  const milliseconds = rest - seconds * 1000;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const text = `${lastDate}${pair(hours)}:${pair(minutes - hours * 60)}:${pair(seconds - minutes * 60)}`;
  if (milliseconds === 0) return `${text}Z`;
  if (milliseconds % 100 === 0) return `${text}.${milliseconds / 100}Z`;
  if (milliseconds % 10 === 0) return `${text}.${pair(milliseconds / 10)}Z`;
  return `${text}.${String(milliseconds).padStart(3, '0')}Z`;
}

const DAY = 86_400_000;
const SEPARATORS = '0000-00-00T00:00:00';
const DIGIT_0 = 0x30;
const DOT = 0x2e;
const LETTER_Z = 0x5a;
const PAIRS: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

let lastDay = Number.NaN;
let lastDate = '';

/** Up to the "T" of the time. */
function dateText(ms: number): string {
  const text = new Date(ms).toISOString();
  if (text.length !== 24) throw new RangeError(`No UTCDate: ${ms} ms lies outside 0000 to 9999.`);
  return text.slice(0, 11);
}

function pair(value: number): string {
  return PAIRS[value] ?? '';
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_0 + 9;
}

/** Of a text whose digits at `at` have been looked at. */
function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - DIGIT_0) + text.charCodeAt(at + 1) - DIGIT_0;
}

/** The milliseconds of ".", digits and "Z" behind the seconds; null for what is nothing of the kind. */
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

/** Date.UTC takes the years 0 to 99 for 1900 to 1999; setUTCFullYear does not. */
function startOfDay(year: number, month: number, day: number): number {
  if (year > 99) return Date.UTC(year, month - 1, day);
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}
