/**
 * UTCDate and Date (RFC 8620 1.4): RFC 3339 date-times, capital letters, no fraction when that is
 * zero, in UTC or with any offset. LocalDateTime (RFC 8984 1.4.4): the same without an offset.
 */

const UTC_DATE = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?Z$/;
const OFFSET = /([+-])([01]\d|2[0-3]):([0-5]\d)$/;
const FRACTION = /\.(\d+)/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Milliseconds since 1970, or null for what is no UTCDate. Digits beyond the millisecond are cut
 * (D10); a zero fraction is taken and so normalised. Leap seconds and 24:00 have no place on our
 * time line: null.
 */
export function parseUtcDate(text: string): number | null {
  const match = UTC_DATE.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  // Date.UTC takes the years 0 to 99 for 1900 to 1999; setUTCFullYear does not.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, milliseconds);
  return date.getTime();
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
  const text = new Date(ms).toISOString();
  if (text.length !== 24) throw new RangeError(`No UTCDate: ${ms} ms lies outside 0000 to 9999.`);
  if (text.endsWith('.000Z')) return `${text.slice(0, 19)}Z`;
  if (text.endsWith('00Z')) return `${text.slice(0, 21)}Z`;
  if (text.endsWith('0Z')) return `${text.slice(0, 22)}Z`;
  return text;
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}
